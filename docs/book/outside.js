// Pages link to files of the repository that are not in the book (reports, experiments, sources), and
// show plots of reports, as they lie beside docs/. The built book lies one folder deeper, in target/book, and mdBook takes every
// .md for a page of its own. In a book that is read where it was built, these links are set right.
"use strict";
{
    const book = new URL(path_to_root || "./", location.href).href;
    const [beside, repository] = [new URL("../", book).href, new URL("../../", book).href];
    for (const link of document.querySelectorAll("main a[href^='../']")) {
        if (link.href.startsWith(book) || !link.href.startsWith(beside)) continue;
        const path = link.href.slice(beside.length);
        link.href = repository + path.replace(/(README|ARCHITECTURE)\.html/, "$1.md");
    }
    for (const plot of document.querySelectorAll("main img[src^='../']")) {
        if (plot.src.startsWith(beside)) plot.src = repository + plot.src.slice(beside.length);
    }
}
