/* Connects or accepts by io_uring:
     ring client ADDRESS PORT    requests a page
     ring server PORT            accepts connections until SIGTERM */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <liburing.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct io_uring ring;

/* Submits the prepared request and returns its result. */
static int result(void)
{
    struct io_uring_cqe *done;
    if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &done) != 0)
        return -1;
    int value = done->res;
    io_uring_cqe_seen(&ring, done);
    return value;
}

static int client(struct sockaddr_in *to)
{
    static const char request[] = "GET / HTTP/1.1\r\n\r\n";
    char text[256];
    int fd = socket(AF_INET, SOCK_STREAM, 0), length;
    io_uring_prep_connect(io_uring_get_sqe(&ring), fd, (struct sockaddr *)to, sizeof *to);
    if (result() != 0)
        return 3;
    io_uring_prep_send(io_uring_get_sqe(&ring), fd, request, sizeof request - 1, 0);
    if (result() != sizeof request - 1)
        return 4;
    do {
        io_uring_prep_recv(io_uring_get_sqe(&ring), fd, text, sizeof text, 0);
        length = result();
    } while (length > 0 && write(1, text, length) == length);
    return length == 0 ? 0 : 5;
}

static void leave(int signal)
{
    (void)signal;
    _exit(0);
}

static int server(struct sockaddr_in *own)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), accepted = 0;
    signal(SIGTERM, leave);
    if (bind(fd, (struct sockaddr *)own, sizeof *own) != 0 || listen(fd, 64) != 0)
        return 3;
    while (accepted >= 0) {
        io_uring_prep_accept(io_uring_get_sqe(&ring), fd, 0, 0, 0);
        accepted = result();
    }
    return 4;
}

int main(int count, char **words)
{
    int is_client = count == 4 && !strcmp(words[1], "client");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[count - 1]))};
    if (count < 3 || io_uring_queue_init(8, &ring, 0) != 0)
        return 2;
    if (is_client && inet_pton(AF_INET, words[2], &address.sin_addr) != 1)
        return 2;
    return is_client ? client(&address) : server(&address);
}
