// Piece-square tables of `pesto` as 12 components: mean squared error 272.4 cp2.
// Tables: pawn to king, middlegame, then endgame; squares: a1 first.

pub const COMPONENTS: [u64; 12] = [
    0xfffb0342cb810307, 0xafd709113778e8b9, 0xffc69e95840e8c7b, 0x002a3e5e285ee406,
    0x23130c3c9eead3d0, 0x343cfcff7c7e1800, 0xb52f108140674af7, 0xfaff7838d6e062d0,
    0x200009dbe7ffafc3, 0xf4f0fea0dbebdb01, 0xffb9ed4a20dab58f, 0xff889057fcdefc8d,
];

pub const WEIGHTS: [u128; 13] = [
    0xfc220b01fe3b00f10bf1f113, 0x00030002021ff4f90cf8f50d,
    0xfe0c09fefc39ff0408f90504, 0x090902040af7190202161817,
    0xf1fc010107eb1fe9ecfedef8, 0x1b35090f1a0de2ff1d06230f,
    0xeceefef4ef1d18f9f9f4e30f, 0x091701fdfb13ff161e0f2820,
    0xf9fefb0201ba0af8de02f9df, 0x06fcf9fcfbe9f715fa0c12f7,
    0xf7f501f7f037090c0df2fa0e, 0xf9fdfcfe00d8f601f7f7ebf8,
    0x006438211e0c0071342a2607,
];

pub const fn unpack() -> [[i16; 64]; 12] {
    let mut tables = [[0; 64]; 12];
    let mut cell = 0;
    while cell < 12 * 64 {
        let (table, square) = (cell / 64, cell % 64);
        let mut sum = 9 * (WEIGHTS[12] >> (8 * table)) as i8 as i16;
        let mut i = 0;
        while i < 12 {
            if COMPONENTS[i] >> square & 1 == 1 {
                sum += (WEIGHTS[i] >> (8 * table)) as i8 as i16;
            }
            i += 1;
        }
        tables[table][square] = sum;
        cell += 1;
    }
    tables
}
