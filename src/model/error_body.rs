//! The two documented error bodies (specification, Errors 1 and 2).

use serde::{Deserialize, Serialize};

/// What an error body said. Both shapes are read into one record: every property is optional and may be null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// URI reference of the problem's type.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Short summary.
    pub title: Option<String>,
    /// The HTTP status, repeated in the body.
    pub status: Option<i32>,
    /// What happened this time.
    pub detail: Option<String>,
    /// URI reference of this occurrence.
    pub instance: Option<String>,
    /// Code of the second shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Message of the second shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Problem {
    /// The body with every text changed: a service may repeat what must not be repeated.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        let Self { kind, title, status, detail, instance, code, message } = self;
        let [kind, title, detail, instance, code, message] =
            [kind, title, detail, instance, code, message].map(|text| text.map(&change));
        Self { kind, title, status, detail, instance, code, message }
    }

    /// The server's own words on one line: title and detail, or code and message; `None` where it said nothing.
    pub fn words(&self) -> Option<String> {
        let mut words: Vec<&str> = Vec::new();
        for part in [&self.title, &self.detail, &self.code, &self.message].into_iter().flatten() {
            if !part.trim().is_empty() && !words.contains(&part.as_str()) {
                words.push(part);
            }
        }
        (!words.is_empty()).then(|| words.join(": "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_nulls_says_nothing() {
        let nulls = r#"{"type":null,"title":null,"status":null,"detail":null,"instance":null}"#;
        let problem: Problem = serde_json::from_str(nulls).expect("nulls are borne");
        assert_eq!(problem.words(), None);
    }

    #[test]
    fn title_and_detail_stand_on_one_line() {
        let body = r#"{"title":"Bad Request","detail":"name is too long","extra":[1]}"#;
        let problem: Problem = serde_json::from_str(body).expect("unknown fields are borne");
        assert_eq!(problem.words().as_deref(), Some("Bad Request: name is too long"));
    }
}
