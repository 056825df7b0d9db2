/* Connects to ADDRESS for the first time in a signal handler:
     handler ADDRESS raised|unblocked|once|alternate|thread
   or outside of one, with all signals blocked: handler ADDRESS blocked
   Memory and threads must not be used in the handler, since the interrupted code may be in the middle of them; the
   program has these functions itself, and ends with 9 if they are. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static __thread volatile sig_atomic_t is_handling;
static struct sockaddr_in to = {.sin_family = AF_INET};
static int kept;

static void check(const char *name)
{
    if (is_handling) {
        write(1, name, strlen(name));
        write(1, " in a handler\n", 14);
        _exit(9);
    }
}

void *malloc(size_t size) { return check("malloc"), __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return check("calloc"), __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return check("realloc"), __libc_realloc(memory, size); }
void free(void *memory) { check("free"), __libc_free(memory); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *data)
{
    check("pthread_create");
    int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return original(thread, attr, run, data);
}

static void handle(int signal)
{
    (void)signal;
    is_handling = 1;
    int fd = socket(AF_INET, SOCK_DGRAM, 0), tos = 0;
    setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    connect(fd, (struct sockaddr *)&to, sizeof to);
    kept = dup(fd);
    dup2(kept, fd);
    dup3(kept, fd, 0);
    accept(fd, 0, 0);
    accept4(fd, 0, 0, 0);
    close(fd);
    close_range(4000, 4010, 0);
    is_handling = 0;
}

static int threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void *raises(void *data)
{
    raise(SIGUSR1);
    return data;
}

int main(int count, char **words)
{
    if (count < 3 || inet_pton(AF_INET, words[1], &to.sin_addr) != 1)
        return 2;
    const char *how = words[2];
    struct sigaction action = {.sa_handler = handle};
    if (!strcmp(how, "unblocked"))
        action.sa_flags = SA_NODEFER;
    if (!strcmp(how, "once"))
        action.sa_flags = SA_NODEFER | SA_RESETHAND;
    if (!strcmp(how, "alternate")) {
        stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
        sigaltstack(&stack, 0);
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
    }
    sigaction(SIGUSR1, &action, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(how, "blocked")) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, 0);
        kept = socket(AF_INET, SOCK_DGRAM, 0);
        connect(kept, (struct sockaddr *)&to, sizeof to);
    } else if (!strcmp(how, "thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, raises, 0);
        pthread_join(thread, 0);
    } else {
        raise(SIGUSR1);
    }
    printf("threads %d\n", threads() > 1);
    getchar();
    /* A call outside. */
    close(dup(0));
    printf("closed\n");
    getchar();
    close(kept);
    getchar();
    return 0;
}
