/* A program with its own dl_iterate_phdr, as crash reporters and profilers have, that looks the original one up. Looks
   up a function itself before and after. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

typedef int each(struct dl_phdr_info *info, size_t size, void *data);

int dl_iterate_phdr(each *call, void *data)
{
    int (*original)(each *, void *) = (int (*)(each *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    return original(call, data);
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info, (void)size;
    return ++*(int *)data, 0;
}

int main(void)
{
    int libraries = 0, found = dlsym(RTLD_DEFAULT, "getenv") != 0;
    dl_iterate_phdr(count, &libraries);
    printf("found %d libraries %d\n", found + (dlvsym(RTLD_DEFAULT, "getenv", "GLIBC_2.2.5") != 0), libraries > 2);
    return 0;
}
