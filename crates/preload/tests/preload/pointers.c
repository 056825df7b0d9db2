/* Calls connect, accept and accept4 with invalid pointers, and compares each with the system call: "equal N". */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sockaddr_in here = {.sin_family = AF_INET};

/* A connection that waits at the listener. */
static int waits(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&here, sizeof here);
    return fd;
}

int main(void)
{
    char *pages = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 4096, 4096);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "198.51.100.1", &to.sin_addr);
    /* The address ends in the missing page, or at its start. */
    memcpy(pages + 4096 - 8, &to, 8);
    memcpy(pages + 4096 - 16, &to, 8);
    void *addresses[] = {0, (void *)1, (void *)-1, (void *)-4096, (void *)(1UL << 62), pages + 4096, pages + 4096 - 8, pages + 8192 - 8};
    socklen_t lengths[] = {0, 1, 15, 16, 28, 128, 129, -1};
    int equal = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++)
        for (unsigned j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            int ours = connect(fd, addresses[i], lengths[j]) ? errno : 0;
            int theirs = syscall(SYS_connect, fd, addresses[i], lengths[j]) ? errno : 0;
            equal += ours == theirs;
            if (ours != theirs)
                printf("connect %p %u: %d, not %d\n", addresses[i], lengths[j], ours, theirs);
        }
    socklen_t length = sizeof here, small = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, "127.0.0.1", &here.sin_addr);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 64) ||
        getsockname(listener, (struct sockaddr *)&here, &length))
        return 1;
    struct { void *address; socklen_t *length; } accepts[] = {
        {pages, (void *)1}, {pages, 0}, {(void *)1, &length}, {pages + 4096 - 8, &length}, {0, (void *)1},
        {pages, (void *)(pages + 4096)}, {pages, &small},
    };
    for (unsigned i = 0; i < sizeof accepts / sizeof *accepts; i++) {
        int waiting[3] = {waits(), waits(), waits()};
        void *address = accepts[i].address;
        int ours = accept(listener, address, accepts[i].length) < 0 ? errno : 0;
        int flagged = accept4(listener, address, accepts[i].length, 0) < 0 ? errno : 0;
        int theirs = syscall(SYS_accept, listener, address, accepts[i].length) < 0 ? errno : 0;
        equal += ours == theirs && flagged == theirs;
        if (ours != theirs || flagged != theirs)
            printf("accept %u: %d and %d, not %d\n", i, ours, flagged, theirs);
        for (int j = 0; j < 3; j++)
            close(waiting[j]);
    }
    printf("equal %d\n", equal);
    return 0;
}
