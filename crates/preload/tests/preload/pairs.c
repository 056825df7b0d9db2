/* A program with a queue pair to ADDRESS, a global identifier, and an address handle: prints the calls that the library below received.
   Built with LOOKED_UP it looks functions of libibverbs up itself, and with "versions" by their versions, as NCCL does. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifdef LOOKED_UP
static int (*ibv_modify_qp)(void *qp, uint8_t *attr, int mask);
static void *(*ibv_create_ah)(void *pd, void *attr);
static int (*ibv_destroy_ah)(void *ah);
static int (*ibv_destroy_qp)(void *qp);
static uint8_t *seen;

static void *look(void *library, const char *name, int versions)
{
    return versions ? dlvsym(library, name, "IBVERBS_1.1") : dlsym(library, name);
}
#else
int ibv_modify_qp(void *qp, uint8_t *attr, int mask);
void *ibv_create_ah(void *pd, void *attr);
int ibv_destroy_ah(void *ah);
int ibv_destroy_qp(void *qp);
extern uint8_t seen[2];
#endif

int main(int count, char **words)
{
    /* The attributes are constant. */
    uint8_t *attr = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long qp[2];
#ifdef LOOKED_UP
    void *library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    int versions = count > 2 && !strcmp(words[2], "versions");
    if (!library || dlsym(library, "ibv_no_such_function"))
        return 1;
    ibv_modify_qp = look(library, "ibv_modify_qp", versions);
    ibv_create_ah = look(library, "ibv_create_ah", versions);
    ibv_destroy_ah = look(library, "ibv_destroy_ah", versions);
    ibv_destroy_qp = look(library, "ibv_destroy_qp", versions);
    seen = look(library, "seen", versions);
#endif
    if (count > 1 && inet_pton(AF_INET6, words[1], attr + 56) == 1)
        attr[56 + 29] = 1;
    mprotect(attr, 4096, PROT_READ);
    int status = ibv_modify_qp(qp, attr, 128);
    printf("modify %d: sl %d class %d\n", status, seen[0], seen[1]);
    seen[0] = seen[1] = 99;
    void *handle = ibv_create_ah(qp, attr + 56);
    printf("handle %d: sl %d class %d\n", handle == qp + 1, seen[0], seen[1]);
    fflush(stdout);
    getchar();
    printf("busy %d\n", ibv_destroy_ah(handle) == EBUSY && ibv_destroy_qp(qp) == EBUSY);
    fflush(stdout);
    getchar();
    printf("destroy handle %d\n", ibv_destroy_ah(handle));
    fflush(stdout);
    getchar();
    printf("destroy %d\n", ibv_destroy_qp(qp));
    fflush(stdout);
    getchar();
    return 0;
}
