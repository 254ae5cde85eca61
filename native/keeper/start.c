#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"

struct failure {
    uint32_t stage;
    int32_t error;
};

static _Noreturn void give_up(int report, uint32_t stage)
{
    struct failure failure = {.stage = stage, .error = errno};
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

/* What the kernel takes for a signal action; all zero is the default action. */
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask;
};

static void reset_signals(void)
{
    static const struct kernel_action standard;
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        /* Not through libc, which keeps two signals to itself: posix_spawn(3) leaves those
         * ignored, and a program started under make would inherit that. */
        syscall(SYS_rt_sigaction, number, &standard, NULL, sizeof standard.mask);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool join(const char *procs)
{
    int fd = open(procs, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool joined = write(fd, "0", 1) == 1;
    int error = errno;
    close(fd);
    errno = error;
    return joined;
}

static _Noreturn void become(const struct options *options, pid_t keeper, const int output[2],
                             int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) {
        _exit(127); /* the keeper died before the line above took hold */
    }
    setsid();
    reset_signals();
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0 || dup2(input, 0) < 0 || dup2(output[0], 1) < 0 || dup2(output[1], 2) < 0) {
        give_up(report, STAGE_FORK);
    }
    for (int i = 0; i < options->cgroup_count; i++) {
        if (!join(options->cgroups[i])) {
            give_up(report, STAGE_CGROUP);
        }
    }
    if (options->dir != NULL && chdir(options->dir) != 0) {
        give_up(report, STAGE_CHDIR);
    }
    execvp(options->program[0], options->program);
    give_up(report, STAGE_EXEC);
}

static bool failed(struct started *started, uint32_t stage, int32_t error)
{
    started->stage = stage;
    started->error = error;
    return false;
}

bool start_program(const struct options *options, struct started *started)
{
    int out[2], err[2], report[2];
    *started = (struct started){0};
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) {
        return failed(started, STAGE_FORK, errno); /* the keeper ends, and its pipes with it */
    }
    pid_t keeper = getpid();
    started->pid = fork();
    if (started->pid < 0) {
        return failed(started, STAGE_FORK, errno);
    }
    if (started->pid == 0) {
        become(options, keeper, (int[]){out[1], err[1]}, report[1]);
    }
    close(out[1]);
    close(err[1]);
    close(report[1]);
    struct failure failure;
    ssize_t got;
    while ((got = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    close(report[0]);
    if (got == (ssize_t)sizeof failure) {
        waitpid(started->pid, NULL, 0);
        return failed(started, failure.stage, failure.error);
    }
    started->output[0] = out[0];
    started->output[1] = err[0];
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    return true;
}
