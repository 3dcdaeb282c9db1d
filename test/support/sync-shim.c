/*
 * Stands before fsync and fdatasync, and copies what was synced to another folder: what is in there is what a machine
 * that loses its power would find. A file that is taken away is taken away there: SQLite syncs its folder right after
 * that. SYNC_SHIM_FROM is the folder that is watched, SYNC_SHIM_TO where copies go.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void copy_synced(int fd) {
  const char *from = getenv("SYNC_SHIM_FROM"), *to = getenv("SYNC_SHIM_TO");
  char link[64], path[4096], draft[8192], target[8192], buffer[65536];
  if (from == NULL || to == NULL) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  const char *slash = strrchr(path, '/');
  if (slash == NULL || strncmp(path, from, strlen(from)) != 0) return;
  int in = open(path, O_RDONLY);
  if (in < 0) return;
  snprintf(draft, sizeof draft, "%s/.draft", to);
  snprintf(target, sizeof target, "%s%s", to, slash);
  int out = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out >= 0) {
    ssize_t got;
    int whole = 1;
    while ((got = read(in, buffer, sizeof buffer)) > 0)
      if (write(out, buffer, got) != got) whole = 0;
    close(out);
    /* At once or not at all: the process may be killed right here. */
    if (whole) rename(draft, target);
  }
  close(in);
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = real(fd);
  if (result == 0) copy_synced(fd);
  return result;
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  int result = real(fd);
  if (result == 0) copy_synced(fd);
  return result;
}

int unlink(const char *path) {
  int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
  const char *from = getenv("SYNC_SHIM_FROM"), *to = getenv("SYNC_SHIM_TO"), *slash = strrchr(path, '/');
  char target[8192];
  int result = real(path);
  if (result == 0 && from != NULL && to != NULL && slash != NULL && strncmp(path, from, strlen(from)) == 0) {
    snprintf(target, sizeof target, "%s%s", to, slash);
    real(target);
  }
  return result;
}
