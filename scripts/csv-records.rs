//! Counts the records of a CSV file with the csv crate and nothing else: what `testtakers check` is measured against.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a measure for scripts/speed, not the program")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).ok_or("name a CSV file")?;
    let text = std::fs::read(file)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let mut record = csv::StringRecord::new();
    let mut count = 0;
    while reader.read_record(&mut record)? {
        count += usize::from(record.iter().any(|cell| !cell.is_empty()));
    }
    println!("{count}");
    Ok(())
}
