/* Facts through the door that users use: HTTP on the worker's Unix socket, JSON lines, 512 a request, 8 connections.

   cc -O2 -pthread -o door ops/benchmarks/door.c
   belfry run --data DIR --jobs spool:OUT & ./door DIR/belfry.sock [SECONDS [PEOPLE]]

   Each connection sends its next request when the one before was answered, which is when its facts are durable. Every fact is
   points_earned of one of PEOPLE people (10000), who so become known. Prints the facts that were answered a second. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 8, LINES = 512 };

static const char *path;
static double seconds = 5;
static int people = 10000;
/* Requests of each connection until it begins again: together they are about everybody, and at least 16. */
static int rounds = 16;
static long taken[CONNECTIONS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connect_to_worker(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address)) fail(path);
    return connection;
}

/* A whole request; several differ, so that no two in a row are about the same people. */
static char *request(int connection, int round, size_t *length) {
    char *body = malloc(LINES * 96), *whole = malloc(LINES * 96 + 256);
    size_t size = 0;
    for (int line = 0; line < LINES; line++) {
        int person = ((connection * rounds + round) * LINES + line) % people;
        size += sprintf(body + size, "{\"type\":\"points_earned\",\"user\":\"person-%07d\",\"data\":{\"points\":%d}}\n", person, 1 + line % 9);
    }
    *length = sprintf(whole, "POST /v1/facts HTTP/1.1\r\nHost: belfry\r\nContent-Type: application/x-ndjson\r\nContent-Length: %zu\r\n\r\n", size);
    memcpy(whole + *length, body, size);
    *length += size;
    free(body);
    return whole;
}

/* Reads one answer to its end and says whether it was 200. */
static void read_answer(int connection, char *buffer, size_t room) {
    size_t held = 0, whole = 0;
    while (!whole || held < whole) {
        ssize_t count = read(connection, buffer + held, room - held - 1);
        if (count <= 0) fail("no answer");
        held += count;
        buffer[held] = 0;
        char *end = strstr(buffer, "\r\n\r\n");
        if (end && !whole) {
            char *size = strcasestr(buffer, "content-length:");
            if (strncmp(buffer, "HTTP/1.1 200", 12) || !size) {
                fprintf(stderr, "%s\n", buffer);
                exit(1);
            }
            whole = end + 4 - buffer + strtoul(size + 15, NULL, 10);
            if (whole >= room) exit(1);
        }
    }
}

static void *send_facts(void *place) {
    int own = (int)(long)place, connection = connect_to_worker();
    size_t *lengths = malloc(rounds * sizeof *lengths), room = 1 << 20;
    char **requests = malloc(rounds * sizeof *requests), *answer = malloc(room);
    for (int round = 0; round < rounds; round++) requests[round] = request(own, round, &lengths[round]);
    double end = now() + seconds;
    for (int round = 0; now() < end; round = (round + 1) % rounds) {
        for (size_t sent = 0; sent < lengths[round];) {
            ssize_t count = write(connection, requests[round] + sent, lengths[round] - sent);
            if (count <= 0) fail("write");
            sent += count;
        }
        read_answer(connection, answer, room);
        taken[own] += LINES;
    }
    return NULL;
}

int main(int count, char **words) {
    if (count < 2 || words[1][0] == '-') {
        fprintf(stderr, "usage: door SOCKET [SECONDS [PEOPLE]]\n");
        return 2;
    }
    path = words[1];
    if (count > 2) seconds = atof(words[2]);
    if (count > 3) people = atoi(words[3]);
    if (rounds < people / (CONNECTIONS * LINES) + 1) rounds = people / (CONNECTIONS * LINES) + 1;
    pthread_t threads[CONNECTIONS];
    double start = now();
    long all = 0;
    for (long place = 0; place < CONNECTIONS; place++) pthread_create(&threads[place], NULL, send_facts, (void *)place);
    for (int place = 0; place < CONNECTIONS; place++) pthread_join(threads[place], NULL);
    for (int place = 0; place < CONNECTIONS; place++) all += taken[place];
    printf("%.0f facts/s (%ld facts, %d connections, %d a request)\n", all / (now() - start), all, CONNECTIONS, LINES);
    return 0;
}
