//! Tables, plots, the HTML page.
