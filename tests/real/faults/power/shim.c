/*
 * Records every call that changes files below one folder, so that a disk can be rebuilt as a
 * power cut would have left it. Loaded with LD_PRELOAD; three variables say what to do:
 *
 *   TIDINGS_POWER_FOLDER   the folder, as the system itself would name it (no links in it)
 *   TIDINGS_POWER_LOG      where the records go; outside the folder
 *   TIDINGS_POWER_ANSWERS  a file whose writes are recorded as answers; outside the folder
 *
 * Call and record happen under one lock, held against threads and other processes alike: the
 * order of the log is the order of the calls. Calls that have nothing to do with the folder do
 * not take the lock, because they may wait for each other. Where a descriptor points is asked of
 * the system each time, so that no copy of a descriptor is missed.
 *
 * oplog.py reads the log; both know the same kinds and the same head.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "offsets are handed to the system in one word");

enum kind {
    BEGIN = 1, CREATE, WRITE, TRUNCATE, ALLOCATE, RENAME, LINK, UNLINK, MKDIR, RMDIR,
    SYNC, SYNC_FOLDER, MAPPED, UNSEEN, ANSWER
};

struct head {
    uint64_t mark, kind, device, inode;
    int64_t offset, length;
    uint64_t path_octets, other_octets, data_octets;
};

static const uint64_t MARK = 0x315245574f504454; /* "TDPOWER1" */
static const int LOWEST_DESCRIPTOR = 800; /* the log's: out of the program's way */

static char folder[PATH_MAX], answers[PATH_MAX];
static size_t folder_octets;
static int log_file = -1;
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------ the log */

static void give_up(const char *why)
{
    dprintf(2, "power shim: %s: %s\n", why, strerror(errno));
    abort(); /* a log with a hole would prove nothing */
}

static void lock_processes(short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
    while (syscall(SYS_fcntl, log_file, F_SETLKW, &whole) != 0)
        if (errno != EINTR)
            give_up("the log cannot be locked");
}

static void take(void)
{
    pthread_mutex_lock(&threads);
    lock_processes(F_WRLCK);
}

static void give(void)
{
    int kept = errno;
    lock_processes(F_UNLCK);
    pthread_mutex_unlock(&threads);
    errno = kept;
}

static void after_fork(void) { pthread_mutex_unlock(&threads); }
static void before_fork(void) { pthread_mutex_lock(&threads); }

static void put(const void *octets, size_t count)
{
    const char *next = octets;
    while (count) {
        ssize_t done = syscall(SYS_write, log_file, next, count);
        if (done < 0)
            give_up("the log cannot be written");
        next += done;
        count -= (size_t)done;
    }
}

static struct head head_of(enum kind kind, const struct stat *file)
{
    struct head head = {.mark = MARK, .kind = kind};
    if (file) {
        head.device = file->st_dev;
        head.inode = file->st_ino;
    }
    return head;
}

static void put_record(struct head head, const char *path, const char *other)
{
    head.path_octets = strlen(path);
    head.other_octets = other ? strlen(other) : 0;
    put(&head, sizeof head);
    put(path, head.path_octets);
    if (other)
        put(other, head.other_octets);
}

static void put_change(enum kind kind, const struct stat *file, const char *path, off_t offset,
                       off_t length)
{
    struct head head = head_of(kind, file);
    head.offset = offset;
    head.length = length;
    put_record(head, path, NULL);
}

static void put_pieces(const struct iovec *pieces, size_t octets)
{
    for (; octets; pieces++) {
        size_t count = pieces->iov_len < octets ? pieces->iov_len : octets;
        put(pieces->iov_base, count);
        octets -= count;
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *watched = getenv("TIDINGS_POWER_FOLDER");
    const char *log_path = getenv("TIDINGS_POWER_LOG");
    const char *ledger = getenv("TIDINGS_POWER_ANSWERS");
    if (!watched || !log_path || strlen(watched) >= PATH_MAX)
        return;
    if (ledger && strlen(ledger) < PATH_MAX)
        strcpy(answers, ledger);
    int low = (int)syscall(SYS_openat, AT_FDCWD, log_path,
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    if (log_file < 0)
        give_up("the log cannot be opened");
    syscall(SYS_close, low);
    pthread_atfork(before_fork, after_fork, after_fork);
    take();
    put_record(head_of(BEGIN, NULL), watched, NULL);
    give();
    strcpy(folder, watched);
    folder_octets = strlen(folder); /* from here on calls are recorded */
}

/* ------------------------------------------------------------------ what is watched */

static bool is_below(const char *path)
{
    return folder_octets && !strncmp(path, folder, folder_octets) && path[folder_octets] == '/';
}

static bool path_of(int file, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t octets = readlink(link, path, PATH_MAX - 1);
    path[octets < 0 ? 0 : octets] = 0;
    return octets > 0;
}

enum target { ELSEWHERE, INSIDE, LEDGER };

static enum target target_of(int file, char path[PATH_MAX])
{
    int kept = errno;
    enum target target = ELSEWHERE;
    if (folder_octets && path_of(file, path)) {
        if (is_below(path) || !strcmp(path, folder))
            target = INSIDE;
        else if (answers[0] && !strcmp(path, answers))
            target = LEDGER;
    }
    errno = kept;
    return target;
}

/* Where a name stands: its folder is resolved by the system, the name itself is not followed. */
static bool place_of(int at, const char *path, char place[PATH_MAX])
{
    char parent[PATH_MAX];
    size_t octets = strlen(path);
    while (octets > 1 && path[octets - 1] == '/')
        octets--;
    place[0] = 0;
    if (!folder_octets || !octets || octets >= PATH_MAX)
        return false;
    size_t start = octets;
    while (start && path[start - 1] != '/')
        start--;
    memcpy(parent, path, start);
    strcpy(parent + start, start ? "" : ".");
    int kept = errno;
    int file = (int)syscall(SYS_openat, at, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool found = file >= 0 && path_of(file, place);
    if (file >= 0)
        syscall(SYS_close, file);
    errno = kept;
    size_t had = strlen(place);
    if (!found || had + 1 + octets - start >= PATH_MAX)
        return false;
    place[had] = '/';
    memcpy(place + had + 1, path + start, octets - start);
    place[had + 1 + octets - start] = 0;
    return is_below(place);
}

/* ------------------------------------------------------------------ contents of files */

static int do_open(int at, const char *path, int flags, mode_t mode)
{
    char place[PATH_MAX];
    struct stat file;
    if (!(flags & (O_CREAT | O_TRUNC)) || !place_of(at, path, place))
        return (int)syscall(SYS_openat, at, path, flags, mode);
    take();
    bool was_there = fstatat(at, path, &file, 0) == 0;
    int opened = (int)syscall(SYS_openat, at, path, flags, mode);
    if (opened >= 0 && fstat(opened, &file) == 0) {
        if (!was_there)
            put_record(head_of(CREATE, &file), place, NULL);
        else if (flags & O_TRUNC)
            put_record(head_of(TRUNCATE, &file), place, NULL);
    }
    give();
    return opened;
}

static ssize_t do_write(int file, const struct iovec *pieces, int count, off_t offset, int flags)
{
    char path[PATH_MAX];
    struct stat found;
    enum target target = target_of(file, path);
    if (target == ELSEWHERE)
        return syscall(SYS_pwritev2, file, pieces, count, offset, 0L, flags);
    take();
    ssize_t done = syscall(SYS_pwritev2, file, pieces, count, offset, 0L, flags);
    if (done > 0 && fstat(file, &found) == 0) {
        struct head head = head_of(target == LEDGER ? ANSWER : WRITE, &found);
        head.offset = offset;
        if (offset < 0)
            head.offset = lseek(file, 0, SEEK_CUR) - done;
        else if (fcntl(file, F_GETFL) & O_APPEND) /* the system then ignores the offset */
            head.offset = found.st_size - done;
        head.path_octets = strlen(path);
        head.data_octets = (uint64_t)done;
        put(&head, sizeof head);
        put(path, head.path_octets);
        put_pieces(pieces, (size_t)done);
    }
    give();
    return done;
}

static ssize_t do_write_one(int file, const void *octets, size_t count, off_t offset, long call)
{
    char path[PATH_MAX];
    if (target_of(file, path) == ELSEWHERE)
        return syscall(call, file, octets, count, offset);
    struct iovec piece = {.iov_base = (void *)(uintptr_t)octets, .iov_len = count};
    return do_write(file, &piece, 1, offset, 0);
}

static int do_ftruncate(int file, off_t length)
{
    char path[PATH_MAX];
    struct stat found;
    if (target_of(file, path) != INSIDE)
        return (int)syscall(SYS_ftruncate, file, length);
    take();
    int failed = (int)syscall(SYS_ftruncate, file, length);
    if (!failed && fstat(file, &found) == 0)
        put_change(TRUNCATE, &found, path, 0, length);
    give();
    return failed;
}

static int do_truncate(const char *path, off_t length)
{
    char place[PATH_MAX];
    struct stat found;
    if (!place_of(AT_FDCWD, path, place))
        return (int)syscall(SYS_truncate, path, length);
    take();
    int failed = (int)syscall(SYS_truncate, path, length);
    if (!failed && stat(path, &found) == 0)
        put_change(TRUNCATE, &found, place, 0, length);
    give();
    return failed;
}

static int do_fallocate(int file, int mode, off_t offset, off_t length)
{
    char path[PATH_MAX];
    struct stat found;
    if (target_of(file, path) != INSIDE)
        return (int)syscall(SYS_fallocate, file, mode, offset, length);
    take();
    int failed = (int)syscall(SYS_fallocate, file, mode, offset, length);
    if (!failed && mode != FALLOC_FL_KEEP_SIZE && fstat(file, &found) == 0)
        put_change(mode ? UNSEEN : ALLOCATE, &found, path, offset, length);
    give();
    return failed;
}

static int do_sync(int file, long call)
{
    char path[PATH_MAX];
    struct stat found;
    if (target_of(file, path) != INSIDE)
        return (int)syscall(call, file);
    take();
    int failed = (int)syscall(call, file);
    if (!failed && fstat(file, &found) == 0)
        put_record(head_of(S_ISDIR(found.st_mode) ? SYNC_FOLDER : SYNC, &found), path, NULL);
    give();
    return failed;
}

static void note_file(enum kind kind, int file)
{
    char path[PATH_MAX];
    struct stat found;
    int kept = errno;
    if (target_of(file, path) == INSIDE && fstat(file, &found) == 0) {
        take();
        put_record(head_of(kind, &found), path, NULL);
        give();
    }
    errno = kept;
}

static void *do_mmap(void *at, size_t octets, int access, int flags, int file, off_t offset)
{
    void *mapped = (void *)syscall(SYS_mmap, at, octets, access, flags, file, offset);
    bool shared = (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
    if (mapped != MAP_FAILED && shared && (access & PROT_WRITE) && !(flags & MAP_ANONYMOUS))
        note_file(MAPPED, file);
    return mapped;
}

#include "shim_folders.h"
#include "shim_names.h"
