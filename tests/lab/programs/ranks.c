/* Ranks of MPI, each of which sends to each other. The first one also requests a page, for whose text all wait.
     ranks ADDRESS PORT */
#include <arpa/inet.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Stores the page and returns its length. */
static int request(char **words, char *text, int size)
{
    static const char request[] = "GET / HTTP/1.1\r\n\r\n";
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(words[2]))};
    int fd = socket(AF_INET, SOCK_STREAM, 0), length = 0, more;
    if (inet_pton(AF_INET, words[1], &to.sin_addr) != 1 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        write(fd, request, sizeof request - 1) < 0)
        return 0;
    while ((more = read(fd, text + length, size - 1 - length)) > 0)
        length += more;
    close(fd);
    return length;
}

int main(int count, char **words)
{
    enum { RANKS = 4 };
    int rank, ranks, received, total = 0, all = 0;
    char text[256] = "";
    if (count != 3 || MPI_Init(&count, &words) != MPI_SUCCESS)
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS)
        return 3;
    for (int i = 1; i < RANKS; i++) {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + i) % RANKS, 0, &received, 1, MPI_INT, (rank + RANKS - i) % RANKS, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        total += received;
    }
    MPI_Reduce(&total, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        request(words, text, sizeof text);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s%d\n", text, all);
    MPI_Finalize();
    return strstr(text, "hello") == 0;
}
