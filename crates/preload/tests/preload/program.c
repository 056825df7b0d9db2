/* A program unaware of Saba: executes the commands on its input, one per line, with one line of output each. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int slots[16];

/* Connects a datagram socket, which needs no peer. */
static int connects(const char *text, int tos)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(9)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    int is_v4 = inet_pton(AF_INET, text, &v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
        return -1;
    int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM, 0);
    if (tos)
        setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    errno = 77;
    int status = is_v4 ? connect(fd, (struct sockaddr *)&v4, sizeof v4) : connect(fd, (struct sockaddr *)&v6, sizeof v6);
    printf("%d %d ", status, errno);
    return fd;
}

/* Starts to connect a stream, or asks for the result. */
static int streams(int fd, const char *text)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, text, &to.sin_addr);
    if (fd < 0)
        fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int status = connect(fd, (struct sockaddr *)&to, sizeof to);
    printf("%s\n", status == 0 ? "connected" : errno == EINPROGRESS ? "in progress" : errno == EALREADY ? "already" : "failed");
    return fd;
}

/* Connects in a child that shares the memory, but not the descriptors. */
static int connects_shared(void *text)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, text, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return connect(fd, (struct sockaddr *)&to, sizeof to) ? 0 : fd;
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t length = sizeof value;
    getsockopt(fd, level, name, &value, &length);
    return value;
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

int main(void)
{
    char line[256], word[64], text[64];
    int a, b;
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Read byte by byte: a child goes on where its parent was. */
    setvbuf(stdin, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "connect %d %63s", &a, text) == 2) {
            b = 0;
            sscanf(line, "%*s %*d %*s %d", &b);
            slots[a] = connects(text, b);
            printf("connected\n");
        } else if (sscanf(line, "stream %d %63s", &a, text) == 2) {
            slots[a] = streams(-1, text);
        } else if (sscanf(line, "again %d %63s", &a, text) == 2) {
            streams(slots[a], text);
        } else if (sscanf(line, "reset %d", &a) == 1) {
            struct sockaddr none = {.sa_family = AF_UNSPEC};
            printf("reset %ld\n", syscall(SYS_connect, slots[a], &none, sizeof none));
        } else if (sscanf(line, "unshare %d", &a) == 1) {
            int flags[] = {CLONE_FS, CLONE_NEWUSER};
            printf("unshare %d\n", unshare(flags[a]));
        } else if (sscanf(line, "socket %d", &a) == 1) {
            printf("socket %d\n", slots[a] = socket(AF_INET, SOCK_DGRAM, 0));
        } else if (sscanf(line, "shares %63s", text) == 1) {
            static char stack[1 << 16] __attribute__((aligned(16)));
            pid_t child = clone(connects_shared, stack + sizeof stack, CLONE_VM | SIGCHLD, text);
            waitpid(child, &a, 0);
            printf("child %d\n", WEXITSTATUS(a));
        } else if (sscanf(line, "lowests %d", &a) == 1) {
            int others = 0;
            while (a-- > 0) {
                close_range(3, ~0u, 0);
                others += open("/dev/null", O_RDONLY) != 3;
                /* There is no child. */
                others += waitpid(-1, 0, WNOHANG) != -1;
            }
            close(3);
            printf("others %d\n", others);
        } else if (sscanf(line, "marks %d", &a) == 1) {
            printf("IP_TOS %d", option(slots[a], IPPROTO_IP, IP_TOS));
            printf(" IPV6_TCLASS %d\n", option(slots[a], IPPROTO_IPV6, IPV6_TCLASS));
        } else if (sscanf(line, "tos %d %d", &a, &b) == 2) {
            printf("set %d\n", setsockopt(slots[a], IPPROTO_IP, IP_TOS, &b, sizeof b));
        } else if (sscanf(line, "close %d", &a) == 1) {
            printf("closed %d\n", close(slots[a]));
        } else if (sscanf(line, "unseen %d", &a) == 1) {
            printf("closed %ld\n", syscall(SYS_close, slots[a]));
        } else if (sscanf(line, "dup %d %d", &a, &b) == 2) {
            slots[b] = dup(slots[a]);
            printf("dup %d\n", slots[b] >= 0);
        } else if (sscanf(line, "range %d", &a) == 1) {
            printf("closed %d\n", close_range(a, ~0u, 0));
        } else if (sscanf(line, "closes %d %d", &a, &b) == 2) {
            int were = 0;
            for (; a < b; a++)
                were += close(a) == 0;
            printf("closed %d\n", were);
        } else if (sscanf(line, "%63s", word) == 1 && !strcmp(word, "lowest")) {
            int fd = open("/dev/null", O_RDONLY);
            printf("lowest %d\n", fd);
            close(fd);
        } else if (!strcmp(word, "filter")) {
            /* No thread of the process gets further sockets. */
            struct sock_filter steps[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            printf("filter %ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter));
        } else if (!strcmp(word, "threads")) {
            printf("threads %d\n", threads());
        } else if (!strcmp(word, "fork")) {
            pid_t child = fork();
            if (child == 0) {
                printf("child\n");
            } else {
                waitpid(child, &a, 0);
                printf("parent %d\n", WEXITSTATUS(a));
            }
        } else if (!strcmp(word, "vfork")) {
            pid_t child = vfork();
            if (child == 0) {
                for (a = 3; a < 4096; a++)
                    close(a);
                _exit(5);
            }
            waitpid(child, &a, 0);
            printf("parent %d\n", WEXITSTATUS(a));
        } else if (!strcmp(word, "exit")) {
            exit(3);
        } else if (!strcmp(word, "vanish")) {
            _exit(4);
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
