/* Calls of the library at the edges of a program's life. The first argument names the case. */
#include <pthread.h>
#include <saba.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes all calls, and prints what they return. */
static void all_calls(const char *when)
{
    struct saba_app *app = NULL;
    struct saba_conn *conn = NULL, *refused = NULL;
    int registered = saba_app_register("all", NULL, &app);
    int created = saba_conn_create(app, NULL, "h1", -1, &conn);
    const char *empty = *saba_error() ? saba_error() : "no error";
    printf("%s: %d %d %s, level %d", when, registered, created, empty, saba_conn_mark(conn).level);
    printf(", %d", saba_conn_create(app, NULL, "h9", -1, &refused));
    printf(" %s\n", strstr(saba_error(), "h9") ? "h9" : saba_error());
    saba_conn_destroy(conn);
    saba_app_deregister(app);
    fflush(stdout);
}

static int is_exiting;

static void at_exit(void)
{
    all_calls("atexit");
}

__attribute__((destructor)) static void at_unload(void)
{
    if (is_exiting)
        all_calls("destructor");
}

static void at_end_of_thread(void *value)
{
    (void)value;
    all_calls("thread");
}

static void *thread(void *key)
{
    all_calls("in it");
    pthread_setspecific(*(pthread_key_t *)key, "");
    return NULL;
}

/* Calls from destructors, after those of the thread's own variables. */
static int ends(void)
{
    pthread_key_t key;
    pthread_t other;
    pthread_key_create(&key, at_end_of_thread);
    pthread_create(&other, NULL, thread, &key);
    pthread_join(other, NULL);
    all_calls("main");
    is_exiting = 1;
    return atexit(at_exit);
}

/* A program that waits for a signal, which no other thread may get. */
static int signals(void)
{
    struct saba_app *app;
    saba_app_register("all", NULL, &app);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, NULL);
    kill(getpid(), SIGTERM);
    int got;
    sigwait(&term, &got);
    printf("%d\n", got);
    pthread_sigmask(SIG_SETMASK, NULL, &term);
    printf("%d\n", sigismember(&term, SIGUSR1));
    saba_app_deregister(app);
    return 0;
}

static void *reads(void *from)
{
    char byte;
    return read(*(int *)from, &byte, 1) == 1 ? from : NULL;
}

static void child(struct saba_app *app, struct saba_conn *conn)
{
    printf("child: '%s'\n", saba_error());
    /* The thread gets the stack of the parent's, and thereby its number. */
    int ends[2];
    pthread_t own;
    pthread_attr_t small;
    if (pipe(ends) || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 1 << 20) ||
        pthread_create(&own, &small, reads, &ends[0]))
        exit(1);
    struct saba_conn *late;
    int created = saba_conn_create(app, NULL, "h1", -1, &late);
    printf("child: %d, level %d\n", created, saba_conn_mark(late).level);
    saba_conn_destroy(late);
    saba_conn_destroy(conn);
    saba_app_deregister(app);
    if (write(ends[1], "", 1) != 1)
        exit(1);
    void *result;
    printf("child: join %d\n", pthread_join(own, &result));
    all_calls("child");
    exit(0);
}

static int forks(void)
{
    struct saba_app *app;
    struct saba_conn *conn, *refused;
    saba_app_register("all", NULL, &app);
    saba_conn_create(app, NULL, "h1", -1, &conn);
    saba_conn_create(app, NULL, "h9", -1, &refused);
    fflush(stdout);
    pid_t id = fork();
    if (id == 0)
        child(app, conn);
    int status;
    waitpid(id, &status, 0);
    printf("parent: %d, %s\n", status, strstr(saba_error(), "h9") ? "h9" : saba_error());
    saba_conn_destroy(conn);
    saba_app_deregister(app);
    all_calls("parent");
    return 0;
}

/* Texts of any size, of an application with a doubt and of none. */
static int doubts(void)
{
    struct saba_options options = { .nodes = 4 };
    struct saba_app *app;
    char text[8] = "xxxxxxx";
    saba_app_register("all", &options, &app);
    size_t whole = saba_app_doubts(app, NULL, 0);
    printf("%d %d", saba_app_doubts(app, NULL, 8) == whole, saba_app_doubts(app, text, 0) == whole);
    printf(" %s", text);
    size_t length = saba_app_doubts(app, text, 5);
    printf(" %d '%s'", length == whole && whole > 80, text);
    printf(" %d\n", (int)saba_app_doubts(NULL, text, sizeof text));
    saba_app_deregister(app);
    return 0;
}

int main(int argc, char **argv)
{
    const char *of = argc > 1 ? argv[1] : "";
    if (!strcmp(of, "ends"))
        return ends();
    if (!strcmp(of, "doubts"))
        return doubts();
    if (!strcmp(of, "signals"))
        return signals();
    return strcmp(of, "forks") ? 2 : forks();
}
