/* Requests a page in an unusual way: client HOW ADDRESS PORT
     plain    once
     fork     once in the parent and in two children
     vfork    once, after a child of vfork that connects to nothing and one that executes a program
     closes   closes all descriptors from 3 on again and again before and after
     handler  the first connection is made in a signal handler, which interrupts memory management
     threads  eight times at once
     ends     the first thread ends by pthread_exit
     late     connects without waiting */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __GLIBC__
/* musl has none. */
static void closefrom(int first)
{
    syscall(SYS_close_range, first, ~0u, 0);
}
#endif

static struct sockaddr_in to = {.sin_family = AF_INET};
static volatile sig_atomic_t connected = -1;

static int opens(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0 ? fd : -1;
}

static void requests(int fd)
{
    char text[256];
    ssize_t length;
    static const char request[] = "GET / HTTP/1.1\r\n\r\n";
    if (fd < 0 || write(fd, request, sizeof request - 1) < 0)
        _exit(1);
    while ((length = read(fd, text, sizeof text)) > 0)
        if (write(1, text, length) != length)
            _exit(1);
    close(fd);
}

static void *one(void *data)
{
    requests(opens());
    return data;
}

static void handle(int signal)
{
    (void)signal;
    if (connected < 0)
        connected = opens();
}

/* Takes and returns memory until a handler has connected, and checks its content. */
static void works(void)
{
    enum { BLOCKS = 64 };
    unsigned char *blocks[BLOCKS] = {0};
    unsigned sizes[BLOCKS] = {0}, turn = 1;
    struct itimerval each = {{0, 1000}, {0, 1000}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &each, 0);
    for (int after = 0; after < 200000; after += connected >= 0) {
        turn = turn * 1103515245 + 12345;
        unsigned i = turn >> 16 & (BLOCKS - 1);
        for (unsigned j = 0; j < sizes[i]; j++)
            if (blocks[i][j] != i)
                _exit(3);
        free(blocks[i]);
        sizes[i] = turn >> 8 & 1023;
        blocks[i] = malloc(sizes[i] + 1);
        memset(blocks[i], i, sizes[i]);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, 0);
}

int main(int count, char **words)
{
    if (count != 4 || inet_pton(AF_INET, words[2], &to.sin_addr) != 1)
        return 2;
    to.sin_port = htons(atoi(words[3]));
    const char *how = words[1];
    if (!strcmp(how, "plain")) {
        requests(opens());
    } else if (!strcmp(how, "fork")) {
        for (int i = 0; i < 2; i++)
            if (fork() == 0) {
                requests(opens());
                _exit(0);
            }
        requests(opens());
        while (wait(0) > 0)
            ;
    } else if (!strcmp(how, "vfork")) {
        if (vfork() == 0) {
            int fd = socket(AF_INET, SOCK_DGRAM, 0);
            _exit(connect(fd, (struct sockaddr *)&to, sizeof to) != 0);
        }
        if (vfork() == 0) {
            execlp("true", "true", (char *)0);
            _exit(127);
        }
        while (wait(0) > 0)
            ;
        requests(opens());
    } else if (!strcmp(how, "closes")) {
        closefrom(3);
        int fd = opens();
        for (int i = 0; i < 1000; i++) {
            int other = open("/dev/null", O_RDONLY);
            if (other != fd + 1)
                return 4;
            closefrom(other);
        }
        requests(fd);
    } else if (!strcmp(how, "handler")) {
        works();
        /* A connection of a handler is reported with the next interposed call outside. */
        close(dup(0));
        requests(connected);
    } else if (!strcmp(how, "threads")) {
        pthread_t threads[8];
        for (int i = 0; i < 8; i++)
            pthread_create(threads + i, 0, one, 0);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], 0);
    } else if (!strcmp(how, "ends")) {
        pthread_t thread;
        pthread_create(&thread, 0, one, 0);
        pthread_exit(0);
    } else if (!strcmp(how, "late")) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0 || errno != EINPROGRESS || poll(&ready, 1, 5000) != 1)
            return 5;
        /* The result, by another call. */
        if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EISCONN)
            return 6;
        fcntl(fd, F_SETFL, 0);
        requests(fd);
    } else {
        return 2;
    }
    return 0;
}
