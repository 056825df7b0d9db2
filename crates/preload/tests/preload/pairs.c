/* A program with a queue pair to ADDRESS, a global identifier: what the library below was told. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int ibv_modify_qp(void *qp, uint8_t *attr, int mask);
void *ibv_create_ah(void *pd, void *attr);
int ibv_destroy_qp(void *qp);
extern uint8_t seen[2];

int main(int count, char **words)
{
    uint8_t attr[144] = {0}, before[144];
    long qp;
    if (count > 1 && inet_pton(AF_INET6, words[1], attr + 56) == 1)
        attr[56 + 29] = 1;
    memcpy(before, attr, sizeof before);
    int said = ibv_modify_qp(&qp, attr, 128);
    printf("modify %d: sl %d class %d, attr %s\n", said, seen[0], seen[1],
           memcmp(attr, before, sizeof attr) ? "changed" : "as before");
    seen[0] = seen[1] = 99;
    printf("handle %d: ", ibv_create_ah(&qp, attr + 56) == &qp);
    printf("sl %d class %d\n", seen[0], seen[1]);
    fflush(stdout);
    getchar();
    printf("destroy %d\n", ibv_destroy_qp(&qp));
    fflush(stdout);
    getchar();
    return 0;
}
