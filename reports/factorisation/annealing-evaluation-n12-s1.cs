// Piece-square tables of `pesto` as 12 components: mean squared error 272.4 cp2.
// Tables: pawn to king, middlegame, then endgame; squares: a1 first.

static readonly ulong[] Components = {
    0xfffb0342cb810307UL, 0xafd709113778e8b9UL, 0xffc69e95840e8c7bUL, 0x002a3e5e285ee406UL,
    0x23130c3c9eead3d0UL, 0x343cfcff7c7e1800UL, 0xb52f108140674af7UL, 0xfaff7838d6e062d0UL,
    0x200009dbe7ffafc3UL, 0xf4f0fea0dbebdb01UL, 0xffb9ed4a20dab58fUL, 0xff889057fcdefc8dUL,
};

static readonly decimal[] Weights = {
    78031377935643147294938886419M, 3626814505442297798784269M,
    78623746809403201719249732868M, 2796254940078707071266461719M,
    74890541414870859925409423096M, 8420211113492805339293557519M,
    73327390662227876048952156943M, 2813179789728060206239131680M,
    77370019954702150354912606687M, 2162739901457009527694824183M,
    76738993547699398838928472590M, 77368820399765170249776229368M,
    121157645392164057082635783M,
};

// [table * 64 + square]
static int[] Unpack()
{
    var tables = new int[768];
    for (int i = 0; i < tables.Length; i++)
        for (int j = 0; j < Weights.Length; j++)
            tables[i] += (sbyte)Buffer.GetByte(decimal.GetBits(Weights[j]), i / 64)
                * (j == Components.Length ? 9 : (int)(Components[j] >> i % 64 & 1));
    return tables;
}
