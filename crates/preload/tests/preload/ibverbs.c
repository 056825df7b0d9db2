/* In place of libibverbs: keeps what it was called with. Refuses a service level above 7, as a device may. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

struct ah_attr { uint8_t dgid[16]; uint32_t flow; uint8_t sgid, hops, class, pad; uint16_t dlid; uint8_t sl, src, rate, is_global, port; } __attribute__((aligned(8)));

uint8_t seen[2];

int ibv_modify_qp(void *qp, uint8_t *attr, int mask)
{
    struct ah_attr vector;
    (void)qp;
    if (!(mask & 128))
        return 0;
    memcpy(&vector, attr + 56, sizeof vector);
    if (vector.sl > 7)
        return EINVAL;
    seen[0] = vector.sl;
    seen[1] = vector.class;
    return 0;
}

void *ibv_create_ah(void *pd, struct ah_attr *attr)
{
    seen[0] = attr->sl;
    seen[1] = attr->class;
    return (long *)pd + 1;
}

/* The first call fails, as of an object in use. */
int ibv_destroy_ah(void *ah)
{
    static int calls;
    return ah && calls++ ? 0 : EBUSY;
}

int ibv_destroy_qp(void *qp)
{
    static int calls;
    return qp && calls++ ? 0 : EBUSY;
}
