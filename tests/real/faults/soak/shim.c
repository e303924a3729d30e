/* Loaded before libc into a service: steps its clock, and fills its disk, as a control file says.
 *
 * The control file holds two 64-bit numbers: microseconds to add to the time of day, and whether
 * files below the watched folder can grow. It is mapped, so a change counts at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
    volatile int64_t offset_us;
    volatile int64_t is_full;
};

static struct control none;
static struct control *control = &none;
static const char *folder;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SOAK_CONTROL");
    folder = getenv("SOAK_FOLDER");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED)
        control = mapped;
    close(file);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static __typeof__(&clock_gettime) real;
    if (!real)
        real = (__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(clock, now);
    int64_t offset = control->offset_us;
    if (!done && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t us = (int64_t)now->tv_sec * 1000000 + now->tv_nsec / 1000 + offset;
        now->tv_sec = us / 1000000;
        now->tv_nsec = us % 1000000 * 1000 + now->tv_nsec % 1000;
    }
    return done;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

static int is_refused(int file)
{
    if (!control->is_full || !folder)
        return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    size_t watched = strlen(folder);
    if (length < (ssize_t)watched || strncmp(path, folder, watched))
        return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *octets, size_t length)
{
    REAL(write);
    return is_refused(file) ? -1 : real(file, octets, length);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    REAL(writev);
    return is_refused(file) ? -1 : real(file, parts, count);
}

ssize_t pwrite(int file, const void *octets, size_t length, off_t at)
{
    REAL(pwrite);
    return is_refused(file) ? -1 : real(file, octets, length, at);
}

ssize_t pwrite64(int file, const void *octets, size_t length, off64_t at)
{
    REAL(pwrite64);
    return is_refused(file) ? -1 : real(file, octets, length, at);
}
