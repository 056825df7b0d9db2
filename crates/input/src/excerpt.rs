//! [`Excerpt`]: the text beside an error, with the line numbers of the whole input.

use miette::{MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};

/// A part of an input, and the number of lines before it.
#[derive(Debug, Clone)]
pub(crate) struct Excerpt {
    text: NamedSource<String>,
    lines_before: usize,
}

impl Excerpt {
    pub(crate) fn new(name: &str, text: &str, lines_before: usize) -> Self {
        Excerpt { text: NamedSource::new(name, text.to_owned()), lines_before }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_above: usize,
        lines_below: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, lines_above, lines_below)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.text.name().to_owned(),
            found.data(),
            *found.span(),
            self.lines_before + found.line(),
            found.column(),
            found.line_count(),
        )))
    }
}
