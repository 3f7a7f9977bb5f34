//! QR codes: in half blocks for a terminal, as SVG for print.

use std::fmt::Write as _;

use qrcode::{Color, QrCode};

/// Light modules around the code, without which it can't be found (ISO/IEC 18004).
const QUIET: usize = 4;

/// The modules of a text's code with the light ones around it.
#[derive(Debug)]
pub struct Qr {
    dark: Vec<bool>,
    inner: usize,
}

impl Qr {
    /// Encodes a text; `None` where it is too long for any code (about 2,300 bytes).
    pub fn of(text: &str) -> Option<Self> {
        let code = QrCode::new(text).ok()?;
        let inner = code.width();
        let dark = code.to_colors().into_iter().map(|color| color == Color::Dark).collect();
        Some(Self { dark, inner })
    }

    /// Modules on one side: columns in a terminal.
    pub fn width(&self) -> usize {
        self.inner + 2 * QUIET
    }

    fn is_dark(&self, row: usize, column: usize) -> bool {
        let inside = |place: usize| place.checked_sub(QUIET).filter(|place| *place < self.inner);
        match (inside(row), inside(column)) {
            (Some(row), Some(column)) => self.dark[row * self.inner + column],
            _ => false,
        }
    }

    /// Two modules a character. Blocks are the light ones, right on a dark terminal; with `color` black and white are
    /// said, right on every terminal.
    pub fn blocks(&self, color: bool) -> String {
        let (begin, end) = if color { ("\x1b[97;40m", "\x1b[0m") } else { ("", "") };
        let mut text = String::new();
        for row in (0..self.width()).step_by(2) {
            text.push_str(begin);
            for column in 0..self.width() {
                let below = row + 1 < self.width() && !self.is_dark(row + 1, column);
                text.push(match (!self.is_dark(row, column), below) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                });
            }
            text.push_str(end);
            text.push('\n');
        }
        text
    }

    /// A picture that is sharp in any size. `title` is what a screen reader says; it must need no escaping.
    pub fn svg(&self, title: &str) -> String {
        let side = self.width();
        let mut path = String::new();
        for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
            if self.is_dark(row, column) {
                // Writing into a String does not fail.
                let _ = write!(path, "M{column} {row}h1v1h-1z");
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\" \
             role=\"img\">\n<title>{title}</title>\n<path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/>\n\
             <path fill=\"#000\" d=\"{path}\"/>\n</svg>\n"
        )
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
