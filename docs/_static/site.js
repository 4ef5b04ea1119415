// What is wider than its place is scrolled, so it takes the focus: keys scroll it then.
const scrolled = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document
  .querySelectorAll("pre, .table-wrapper, .figure, .cell_output, .cell_output .output, article p:has(> img)")
  .forEach((one) => scrolled.observe(one));

// Both sides of the page have names for those who hear them.
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Site");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "Page");
