// What the documentation, the reference and the status page share: the look, the theme, the word mark.

/** In the head of each page, behind its title. */
export const LOOK = `<link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/docs/look.css">
    <link rel="stylesheet" href="/docs/frame.css">
    <script src="/docs/theme.js"></script>`

export const SKIP = '<a class="skip" href="#content">Skip to the content</a>'

/** The word mark, and which part of the service the page is of. */
export const brandHtml = (url: string, part: string): string =>
  `<a class="brand" href="${url}"><img src="/icon.svg" alt="" width="20" height="20"><b>Tradepost <span>${part}</span></b></a>`

/** The bar above a page; `more` stands behind the word mark. */
export const headerHtml = (more = ''): string => `<header class="top">
      ${brandHtml('/docs', 'docs')}${more}
      <div class="search" id="search"></div>
      <a class="dashboard" href="/dashboard">Dashboard</a>
      <button type="button" class="theme" id="theme" hidden>Theme</button>
    </header>`
