//! QR codes: in half blocks for a terminal, as SVG for print.

use qrcode::QrCode;
use qrcode::render::svg;
use qrcode::render::unicode::Dense1x2;

use super::ansi_codes::{PLAIN, WHITE_ON_BLACK};

/// A text's code.
pub struct Qr(QrCode);

impl Qr {
    /// Encodes a text; `None` where it is too long for any code (about 2,300 bytes).
    pub fn of(text: &str) -> Option<Self> {
        QrCode::new(text).ok().map(Self)
    }

    /// Two modules a character. Blocks are the light ones, right on a dark terminal; with `color` black and white are
    /// said, right on every terminal.
    pub fn blocks(&self, color: bool) -> String {
        let (begin, end) = if color { (WHITE_ON_BLACK, PLAIN) } else { ("", "") };
        let drawn = self.0.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
        drawn.lines().flat_map(|line| [begin, line, end, "\n"]).collect()
    }

    /// A picture that is sharp in any size. `title` is what a screen reader says; it must need no escaping.
    pub fn svg(&self, title: &str) -> String {
        let drawn = self.0.render::<svg::Color<'_>>().build();
        drawn.replacen("><rect", &format!(" role=\"img\"><title>{title}</title><rect"), 1) + "\n"
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads the light modules of half blocks with a decoder that knows nothing of ours.
    fn decoded(blocks: &str) -> String {
        let light = |c: char, upper: bool| matches!((c, upper), ('█', _) | ('▀', true) | ('▄', false));
        let rows: Vec<Vec<bool>> = blocks
            .lines()
            .flat_map(|line| [true, false].map(|upper| line.chars().map(|c| light(c, upper)).collect()))
            .collect();
        let side = rows[0].len() * 4;
        let mut image =
            rqrr::PreparedImage::prepare_from_greyscale(side, side, |x, y| if rows[y / 4][x / 4] { 255 } else { 0 });
        let grids = image.detect_grids();
        grids[0].decode().expect("a code").1
    }

    #[test]
    fn colour_says_black_and_white_and_changes_no_block() {
        let qr = Qr::of("https://example.com/join").expect("short enough");
        let (plain, coloured) = (qr.blocks(false), qr.blocks(true));
        assert_eq!(coloured.replace("\x1b[97;40m", "").replace("\x1b[0m", ""), plain);
        assert!(Qr::of(&"x".repeat(4000)).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_decoder_reads_what_was_drawn(text in "https://[a-z]{1,20}\\.example\\.com/[a-zA-Z0-9/?=&-]{0,120}") {
            prop_assert_eq!(decoded(&Qr::of(&text).expect("short enough").blocks(false)), text);
        }
    }
}
