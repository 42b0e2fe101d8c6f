/** Relative to the address of the page. */
export interface DocsUrls {
  root: string;
  files: string;
  document: string;
}

/** All addresses are relative, so that the page works below any path. */
export function renderDocs({ root, files, document }: DocsUrls): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium REST API</title>
<link rel="icon" href="${root}favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${files}swagger-ui.css">
<link rel="stylesheet" href="${files}page.css">
</head>
<body>
<noscript><p>This page requires JavaScript. It displays <a href="${document}">${document}</a>.</p></noscript>
<nav class="links" aria-label="Sections"><a href="${root}">Atrium</a><a href="${root}graphql">GraphQL explorer</a><a href="${root}guides">Guides</a></nav>
<div id="docs" data-document="${document}"></div>
<script src="${files}swagger-ui-bundle.js"></script>
<script src="${files}page.js"></script>
</body>
</html>
`;
}

/**
 * `validatorUrl: null`, so that the document is not sent to an external validator. Swagger UI gives several form
 * controls no label, or the same id; the observer adds what is missing.
 */
export const PAGE_SCRIPT = `const container = document.getElementById('docs');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const label = () => {
  container.querySelector('.servers select')?.setAttribute('aria-label', 'Server');
  container.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
  container.querySelector('.operation-filter-input')?.setAttribute('aria-label', 'Filter by tag');
  for (const button of container.querySelectorAll('[aria-label="Apply credentials"]')) button.removeAttribute('aria-label');
  for (const [index, part] of [...container.querySelectorAll('.auth-container')].entries()) {
    const name = part.querySelector('h4 code, h6 code')?.textContent ?? 'credential';
    for (const field of part.querySelectorAll('input')) {
      field.id = 'credential-' + index;
      field.setAttribute('aria-label', name);
    }
    part.querySelector('label')?.setAttribute('for', 'credential-' + index);
  }
  for (const field of container.querySelectorAll('select:not([aria-label]), textarea:not([aria-label])')) {
    if (!field.labels?.length) field.setAttribute('aria-label', field.closest('tr, .opblock-section')?.querySelector('.parameter__name, h4')?.textContent ?? 'value');
  }
};
const observer = new MutationObserver(() => {
  observer.disconnect();
  label();
  observer.observe(container, { childList: true, subtree: true });
});
observer.observe(container, { childList: true, subtree: true });

SwaggerUIBundle({
  domNode: container,
  url: container.dataset.document,
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  queryConfigEnabled: false,
});
`;

export const PAGE_STYLE = `body { margin: 0; background: #fafafa; font-family: system-ui, sans-serif; }
html.dark-mode body { background: #1c2022; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; box-sizing: border-box; }
.links a { color: #1f5fbf; text-decoration: none; }
html.dark-mode .links a { color: #8ab4f8; }
noscript p { padding: 1rem; }
.swagger-ui .info .title small { background: #4b5563; }
.swagger-ui .info .title small.version-stamp { background: #3f6212; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .info .link .url { color: #1f5fbf; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #1d6b45; border-color: #1d6b45; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1d6b45; }
html.dark-mode .swagger-ui .info .link .url { color: #8ab4f8; }
html.dark-mode .swagger-ui .info a, html.dark-mode .swagger-ui .renderedMarkdown a { color: #8ab4f8; }
`;

/** The document may name the page's own address or the public URL. */
export function docsPolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
