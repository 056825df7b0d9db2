/* A program whose first thread ends by a system call after a connection to ADDRESS: `exit` with status 5, or one that a
   filter answers by killing the thread (`killed`). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void kill_at_getppid(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    getppid();
}

int main(int count, char **words)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 3 || inet_pton(AF_INET, words[1], &to.sin_addr) != 1)
        return 2;
    connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to);
    puts("connected");
    getchar();
    if (!strcmp(words[2], "killed"))
        kill_at_getppid();
    syscall(SYS_exit, 5);
}
