/* A program whose first thread ends by pthread_exit after a connection to ADDRESS; with a second word, another thread
   goes on. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void at_exit(void) { puts("exit"); }

static void *other(void *first)
{
    pthread_join(*(pthread_t *)first, 0);
    getchar();
    puts("other");
    return 0;
}

int main(int count, char **words)
{
    static pthread_t first;
    pthread_t thread;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 2 || inet_pton(AF_INET, words[1], &to.sin_addr) != 1)
        return 2;
    connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to);
    atexit(at_exit);
    puts("connected");
    getchar();
    first = pthread_self();
    if (count > 2)
        pthread_create(&thread, 0, other, &first);
    pthread_exit(0);
}
