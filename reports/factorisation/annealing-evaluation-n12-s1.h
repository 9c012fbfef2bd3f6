// Piece-square tables of `pesto` as 12 components: mean squared error 272.4 cp2.
// Tables: pawn to king, middlegame, then endgame; squares: a1 first.

#include <stdint.h>

static const uint64_t components[12] = {
    0xfffb0342cb810307u, 0xafd709113778e8b9u, 0xffc69e95840e8c7bu, 0x002a3e5e285ee406u,
    0x23130c3c9eead3d0u, 0x343cfcff7c7e1800u, 0xb52f108140674af7u, 0xfaff7838d6e062d0u,
    0x200009dbe7ffafc3u, 0xf4f0fea0dbebdb01u, 0xffb9ed4a20dab58fu, 0xff889057fcdefc8du,
};

static const int8_t weights[13][12] = {
    {19, -15, -15, 11, -15, 0, 59, -2, 1, 11, 34, -4},
    {13, -11, -8, 12, -7, -12, 31, 2, 2, 0, 3, 0},
    {4, 5, -7, 8, 4, -1, 57, -4, -2, 9, 12, -2},
    {23, 24, 22, 2, 2, 25, -9, 10, 4, 2, 9, 9},
    {-8, -34, -2, -20, -23, 31, -21, 7, 1, 1, -4, -15},
    {15, 35, 6, 29, -1, -30, 13, 26, 15, 9, 53, 27},
    {15, -29, -12, -7, -7, 24, 29, -17, -12, -2, -18, -20},
    {32, 40, 15, 30, 22, -1, 19, -5, -3, 1, 23, 9},
    {-33, -7, 2, -34, -8, 10, -70, 1, 2, -5, -2, -7},
    {-9, 18, 12, -6, 21, -9, -23, -5, -4, -7, -4, 6},
    {14, -6, -14, 13, 12, 9, 55, -16, -9, 1, -11, -9},
    {-8, -21, -9, -9, 1, -10, -40, 0, -2, -4, -3, -7},
    {7, 38, 42, 52, 113, 0, 12, 30, 33, 56, 100, 0},
};

static void unpack(int16_t tables[12][64])
{
    for (int table = 0; table < 12; table++)
        for (int square = 0; square < 64; square++) {
            int sum = 9 * weights[12][table];
            for (int i = 0; i < 12; i++)
                if (components[i] >> square & 1)
                    sum += weights[i][table];
            tables[table][square] = (int16_t)sum;
        }
}
