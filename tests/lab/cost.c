/* Prints the CPU time of socket, connect and close together in the calling thread, in nanoseconds: the median of
 * ROUNDS rounds of 100 calls each.
 *   cost ADDRESS ROUNDS stream|datagram
 * Streams are not awaited. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100 };

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    int rounds = count > 3 ? atoi(words[2]) : 0;
    int kind = count > 3 && !strcmp(words[3], "stream") ? SOCK_STREAM | SOCK_NONBLOCK : SOCK_DGRAM;
    if (rounds < 1 || inet_pton(AF_INET, words[1], &to.sin_addr) != 1)
        return 2;
    double *took = malloc(rounds * sizeof *took);
    for (int i = -rounds / 10; i < rounds; i++) {
        struct timespec began, ended;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
        for (int j = 0; j < BATCH; j++) {
            int fd = socket(AF_INET, kind, 0);
            if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS)
                return 1;
            close(fd);
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
        double ns = (ended.tv_sec - began.tv_sec) * 1e9 + (ended.tv_nsec - began.tv_nsec);
        if (i >= 0)
            took[i] = ns / BATCH;
    }
    qsort(took, rounds, sizeof *took, order);
    printf("%.0f\n", took[rounds / 2]);
}
