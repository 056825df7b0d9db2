// Prints the frequency of this processor's time stamp counter (TSC) in kHz, measured against the clock over 0.2 s. The
// machines of the bench use the same counter.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct reading {
  uint64_t ticks;
  int64_t ns;
};

// Reads both at one moment: of 100 tries, the one with the fewest ticks.
static struct reading read_both(void) {
  struct reading best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 100; i++) {
    struct timespec now;
    uint64_t before = __rdtsc();
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t took = __rdtsc() - before;
    if (took < least) {
      least = took;
      best.ticks = before + took / 2;
      best.ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    }
  }
  return best;
}

int main(void) {
  struct reading first = read_both();
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  struct reading last = read_both();
  printf("%.0f\n", (last.ticks - first.ticks) * 1e6 / (last.ns - first.ns));
}
