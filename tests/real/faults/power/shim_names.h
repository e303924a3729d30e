/* The library's names that are taken over, long-file and checked ones too. A part of shim.c. */

#define WITH_MODE(last)                                                                         \
    mode_t mode = 0;                                                                            \
    if ((last & O_CREAT) || (last & O_TMPFILE) == O_TMPFILE) {                                  \
        va_list rest;                                                                           \
        va_start(rest, last);                                                                   \
        mode = va_arg(rest, mode_t);                                                            \
        va_end(rest);                                                                           \
    }

int open(const char *path, int flags, ...)
{
    WITH_MODE(flags)
    return do_open(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    WITH_MODE(flags)
    return do_open(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    WITH_MODE(flags)
    return do_open(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    WITH_MODE(flags)
    return do_open(at, path, flags, mode);
}

#define CREATING (O_CREAT | O_WRONLY | O_TRUNC)

int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, CREATING, mode); }
int creat64(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, CREATING, mode); }

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);

int __open_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return do_open(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return do_open(at, path, flags, 0); }

ssize_t write(int file, const void *octets, size_t count)
{
    return do_write_one(file, octets, count, -1, SYS_write);
}

ssize_t pwrite(int file, const void *octets, size_t count, off_t offset)
{
    return do_write_one(file, octets, count, offset, SYS_pwrite64);
}

ssize_t pwrite64(int file, const void *octets, size_t count, off_t offset)
{
    return do_write_one(file, octets, count, offset, SYS_pwrite64);
}

ssize_t writev(int file, const struct iovec *pieces, int count)
{
    return do_write(file, pieces, count, -1, 0);
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t offset)
{
    return do_write(file, pieces, count, offset, 0);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int count, off_t offset)
{
    return do_write(file, pieces, count, offset, 0);
}

ssize_t pwritev2(int file, const struct iovec *pieces, int count, off_t offset, int flags)
{
    return do_write(file, pieces, count, offset, flags);
}

ssize_t pwritev64v2(int file, const struct iovec *pieces, int count, off_t offset, int flags)
{
    return do_write(file, pieces, count, offset, flags);
}

int ftruncate(int file, off_t length) { return do_ftruncate(file, length); }
int ftruncate64(int file, off_t length) { return do_ftruncate(file, length); }
int truncate(const char *path, off_t length) { return do_truncate(path, length); }
int truncate64(const char *path, off_t length) { return do_truncate(path, length); }

int fallocate(int file, int mode, off_t offset, off_t length)
{
    return do_fallocate(file, mode, offset, length);
}

int fallocate64(int file, int mode, off_t offset, off_t length)
{
    return do_fallocate(file, mode, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length)
{
    return do_fallocate(file, 0, offset, length) ? errno : 0;
}

int posix_fallocate64(int file, off_t offset, off_t length)
{
    return do_fallocate(file, 0, offset, length) ? errno : 0;
}

int fsync(int file) { return do_sync(file, SYS_fsync); }
int fdatasync(int file) { return do_sync(file, SYS_fdatasync); }

void *mmap(void *at, size_t octets, int access, int flags, int file, off_t offset)
{
    return do_mmap(at, octets, access, flags, file, offset);
}

void *mmap64(void *at, size_t octets, int access, int flags, int file, off_t offset)
{
    return do_mmap(at, octets, access, flags, file, offset);
}

/* Octets that never pass through the program: what was written is not known. */

ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
    ssize_t done = syscall(SYS_sendfile, out, in, offset, count);
    if (done > 0)
        note_file(UNSEEN, out);
    return done;
}

ssize_t sendfile64(int out, int in, off_t *offset, size_t count)
{
    return sendfile(out, in, offset, count);
}

ssize_t copy_file_range(int in, off_t *from, int out, off_t *to, size_t count, unsigned flags)
{
    ssize_t done = syscall(SYS_copy_file_range, in, from, out, to, count, flags);
    if (done > 0)
        note_file(UNSEEN, out);
    return done;
}

ssize_t splice(int in, off_t *from, int out, off_t *to, size_t count, unsigned flags)
{
    ssize_t done = syscall(SYS_splice, in, from, out, to, count, flags);
    if (done > 0)
        note_file(UNSEEN, out);
    return done;
}

int rename(const char *old, const char *new) { return do_rename(AT_FDCWD, old, AT_FDCWD, new, 0); }

int renameat(int old_at, const char *old, int new_at, const char *new)
{
    return do_rename(old_at, old, new_at, new, 0);
}

int renameat2(int old_at, const char *old, int new_at, const char *new, unsigned flags)
{
    return do_rename(old_at, old, new_at, new, flags);
}

int link(const char *old, const char *new) { return do_link(AT_FDCWD, old, AT_FDCWD, new, 0); }

int linkat(int old_at, const char *old, int new_at, const char *new, int flags)
{
    return do_link(old_at, old, new_at, new, flags);
}

int unlink(const char *path) { return do_unlink(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return do_unlink(at, path, flags); }
int rmdir(const char *path) { return do_unlink(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdir(const char *path, mode_t mode) { return do_mkdir(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return do_mkdir(at, path, mode); }
