// The evaluation of oplus, with a net from `oplus net export --format raw,c`: features ALL,
// layers "N screlu -> 1" with any number of buckets by pieces. Reads a FEN per line of standard input
// and prints centipawns for the side to move.

#include "net.h"
#include <stdio.h>
#include <string.h>

// The hash is that of ALL: the rows of other sets, or in another order, have other formulas.
#if OPLUS_FEATURES_HASH != 0xfbbbbc32f16d300b || defined OPLUS_L2 || defined OPLUS_BASE
#error "no net of ALL with one hidden layer"
#endif

static oplus_net net;

// Accumulators of both perspectives, White first. An engine keeps one per ply.
typedef struct { int16_t sums[2][OPLUS_L1]; } accumulator;

// Adds (times = 1) or removes (times = -1) a piece on a square: two calls for a move, three for
// a capture, four for castling. Squares: a1 = 0, b1 = 1 … h8 = 63; roles:
// pawn = 0, knight, bishop, rook, queen, king = 5.
static void change(accumulator *acc, int role, int white, int square, int times) {
    for (int black_sees = 0; black_sees < 2; black_sees++) {
        int seen = black_sees ? square ^ 56 : square, other = white == black_sees;
        const int16_t *row = net.ft_weights[12 * seen + 2 * role + other];
        for (int i = 0; i < OPLUS_L1; i++) acc->sums[black_sees][i] += times * row[i];
    }
}

static int evaluate(const accumulator *acc, int black_to_move, int pieces) {
    int bucket = oplus_bucket(pieces);
    int64_t sum = net.dense_bias[bucket][0] + OPLUS_WHOLE / 2;
    for (int half = 0; half < 2; half++)  // the side to move first
        for (int i = 0; i < OPLUS_L1; i++) {
            int32_t a = acc->sums[half ^ black_to_move][i];
            a = a < 0 ? 0 : a > OPLUS_TOP ? OPLUS_TOP : a;
            a = (a * a + (1 << OPLUS_SHIFT >> 1)) >> OPLUS_SHIFT;
            sum += (int64_t)a * net.dense_weights[bucket][0][half * OPLUS_L1 + i];
        }
    return (int)(sum / OPLUS_WHOLE - (sum % OPLUS_WHOLE < 0));  // rounded down
}

// Computes the accumulators of a FEN and returns its number of pieces; 0 for an invalid FEN.
static int refresh(accumulator *acc, const char *fen) {
    int square = 56, pieces = 0;
    for (int side = 0; side < 2; side++)
        memcpy(acc->sums[side], net.ft_bias, sizeof net.ft_bias);
    for (; *fen != ' '; fen++) {
        const char *letters = "pnbrqkPNBRQK", *found = *fen ? strchr(letters, *fen) : NULL;
        if (*fen == '/') square -= 16;
        else if (*fen >= '1' && *fen <= '8') square += *fen - '0';
        else if (!found || square < 0 || square > 63 || ++pieces > 32) return 0;
        else change(acc, (int)(found - letters) % 6, found - letters >= 6, square++, 1);
    }
    return pieces;
}

int main(int count, char **names) {
    FILE *file = count == 2 ? fopen(names[1], "rb") : NULL;
    if (!file || fread(&net, sizeof net, 1, file) != 1 || fgetc(file) != EOF) {
        fputs("no net of the shape that net.h has\n", stderr);
        return 1;
    }
    char fen[256];
    while (fgets(fen, sizeof fen, stdin)) {
        accumulator acc;
        int pieces = refresh(&acc, fen);
        if (!pieces) {
            fprintf(stderr, "no position: %s", fen);
            return 1;
        }
        printf("%d\n", evaluate(&acc, strstr(fen, " b ") != NULL, pieces));
    }
    return 0;
}
