#include "keep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "tree.h"

#define FIRST_KILL_PAUSE_MS 2
#define LONGEST_KILL_PAUSE_MS 500
#define LONGEST_SLEEP_MS 3600000
#define LONGEST_GRACE_MS INT64_C(1000000000000000)

struct keeping {
    pid_t program;
    int64_t grace_ms;
    struct log log;
    struct pollfd watched[3]; /* stdout, stderr, signals; fd -1 once closed */
    bool program_ended;
    bool empty; /* no descendant is left */
    bool stopping;
    bool killing;
    int64_t kill_at_ms;
    int kill_pause_ms;
    struct ending ending;
};

int keep_signals(void)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &wanted, NULL) != 0) {
        return -1;
    }
    /* What a person's terminal or a closed pipe sends is not for the keeper. */
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};
    for (unsigned i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    return signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Reads once. False when there is nothing to read now. */
static bool pump(struct keeping *k, enum log_stream stream)
{
    static char text[LOG_LONGEST_TEXT];
    struct pollfd *pipe = &k->watched[stream];
    if (pipe->fd < 0) {
        return false;
    }
    ssize_t got = read(pipe->fd, text, sizeof text);
    if (got > 0) {
        log_write(&k->log, stream, text, (size_t)got);
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(pipe->fd);
        pipe->fd = -1;
    }
    return false;
}

static void reap(struct keeping *k)
{
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == k->program) {
            k->program_ended = true;
            k->ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            k->ending.exit_code =
                WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
    }
    k->empty = pid < 0 && errno == ECHILD;
}

/* The first asking reaches the tree; later ones can only bring its end nearer. */
static void stop(struct keeping *k, int64_t grace_ms)
{
    int64_t kill_at_ms = clock_steady_ms() + grace_ms;
    if (!k->stopping || kill_at_ms < k->kill_at_ms) {
        k->kill_at_ms = kill_at_ms;
    }
    if (!k->stopping) {
        k->ending.stop_asked = k->stopping = true;
        tree_signal(SIGTERM);
    }
}

/* What a SIGTERM grants: the number that it carries, else what the keeper was started with. */
static int64_t granted_ms(const struct keeping *k, const struct signalfd_siginfo *info)
{
    if (info->ssi_code != SI_QUEUE) {
        return k->grace_ms;
    }
    return info->ssi_ptr > LONGEST_GRACE_MS ? LONGEST_GRACE_MS : (int64_t)info->ssi_ptr;
}

static void obey(struct keeping *k)
{
    struct signalfd_siginfo info;
    while (read(k->watched[2].fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGUSR1) {
            k->ending.stop_asked = k->killing = true;
        } else if (info.ssi_signo == SIGTERM) {
            stop(k, granted_ms(k, &info));
        }
    }
}

/* Milliseconds until keep() has something to do by itself, or -1. */
static int patience(struct keeping *k)
{
    if (k->killing) {
        /* Each look finds what was forked since the last; a process stuck in the kernel is
         * waited for ever more slowly, since its card is not free before it is gone. */
        int pause = k->kill_pause_ms;
        k->kill_pause_ms = pause * 2 > LONGEST_KILL_PAUSE_MS ? LONGEST_KILL_PAUSE_MS : pause * 2;
        return pause;
    }
    if (k->stopping) {
        int64_t left = k->kill_at_ms - clock_steady_ms();
        return left <= 0 ? 0 : left < LONGEST_SLEEP_MS ? (int)left + 1 : LONGEST_SLEEP_MS;
    }
    return -1;
}

/* A program that was asked to stop may leave children that are still saving their work: they
 * have the rest of the grace. One that ended by itself has left them behind. */
static void decide(struct keeping *k)
{
    bool out_of_grace = k->stopping && clock_steady_ms() >= k->kill_at_ms;
    if (out_of_grace || (k->program_ended && !k->stopping)) {
        k->killing = true;
    }
    if (k->killing && !k->empty) {
        tree_signal(SIGKILL);
    }
}

struct ending keep(const struct options *options, pid_t program, const int output[2], int signals)
{
    struct keeping k = {
        .program = program,
        .grace_ms = (int64_t)options->grace_seconds * 1000,
        .kill_pause_ms = FIRST_KILL_PAUSE_MS,
        .watched = {{output[0], POLLIN, 0}, {output[1], POLLIN, 0}, {signals, POLLIN, 0}},
    };
    log_open(&k.log, options->log, options->log_bytes, options->log_files);
    while (!k.empty) {
        poll(k.watched, 3, patience(&k));
        pump(&k, STREAM_STDOUT);
        pump(&k, STREAM_STDERR);
        obey(&k);
        reap(&k);
        decide(&k);
    }
    while (pump(&k, STREAM_STDOUT) || pump(&k, STREAM_STDERR)) {
    }
    k.ending.dropped_bytes = k.log.dropped_bytes;
    return k.ending;
}
