/*
 * Sends some bytes to a host as an application that Saba knows:
 *   cc sender.c $(pkg-config --cflags --libs saba) -o sender
 *   ./sender APPLICATION HOST ADDRESS PORT
 */
#include <arpa/inet.h>
#include <saba.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s APPLICATION HOST ADDRESS PORT\n", argv[0]);
        return 2;
    }
    struct saba_app *app;
    if (saba_app_register(argv[1], NULL, &app) != SABA_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], saba_error());
        return 1;
    }
    if (*saba_error())
        fprintf(stderr, "%s\n", saba_error());
    char doubts[1024];
    if (saba_app_doubts(app, doubts, sizeof doubts) > 0)
        fprintf(stderr, "the model of %s is doubtful:\n%s\n", argv[1], doubts);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[4])) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (inet_pton(AF_INET, argv[3], &to.sin_addr) != 1 ||
        connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror(argv[3]);
        saba_app_deregister(app);
        return 1;
    }
    struct saba_conn *conn = NULL;
    if (saba_conn_create(app, NULL, argv[2], fd, &conn) != SABA_OK)
        fprintf(stderr, "%s: %s; sends without a mark\n", argv[2], saba_error());
    struct saba_mark mark = saba_conn_mark(conn);
    int tos = 0;
    socklen_t size = sizeof tos;
    getsockopt(fd, IPPROTO_IP, IP_TOS, &tos, &size);
    printf("level %d, dscp %d, IP_TOS %d\n", mark.level, mark.dscp, tos);
    fflush(stdout);
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes);
    int status = write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes ? 0 : 1;
    /* Runs until the receiver closes the connection. */
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
    close(fd);
    saba_conn_destroy(conn);
    saba_app_deregister(app);
    return status;
}
