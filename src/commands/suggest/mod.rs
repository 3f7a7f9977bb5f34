//! What was probably meant by a command line that could not be read, or that is written as for another program.

pub mod dictionary;
pub mod edits;
pub mod expressions;
pub mod first_hint;
pub mod foreign_lines;
// Tables of one row a line.
#[rustfmt::skip]
pub mod foreign_options;
pub mod foreign_values;
#[rustfmt::skip]
pub mod foreign_words;
pub mod kept_words;
pub mod line_to_type;
pub mod narrowed;
pub mod normal_form;
pub mod people;
pub mod placeholders;
pub mod respelled;
pub mod sentence_words;
pub mod sentences;
pub mod spoken_times;
pub mod suggestion;
pub mod suggestions;
pub mod translation;
pub mod unknown_arguments;
pub mod unknown_commands;
pub mod values;
pub mod whole_line;
