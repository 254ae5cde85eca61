/* In the build with sanitizers only: how they run. Looking for leaks at exit stops the process by
 * a tracer of its own, which now and then waits for ever; a keeper ends right after its program. */
#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#else
typedef int not_empty; /* ISO C wants something in a file */
#endif
