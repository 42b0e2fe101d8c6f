/** Relative to the address of the page. */
export interface DocsUrls {
  files: string;
  document: string;
}

/** All addresses are relative, so that the page works below any path. */
export function renderDocs({ files, document }: DocsUrls): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium REST API</title>
<link rel="icon" type="image/png" href="${files}favicon-32x32.png">
<link rel="stylesheet" href="${files}swagger-ui.css">
<link rel="stylesheet" href="${files}page.css">
</head>
<body>
<noscript><p>This page requires JavaScript. It displays <a href="${document}">${document}</a>.</p></noscript>
<div id="docs" data-document="${document}"></div>
<script src="${files}swagger-ui-bundle.js"></script>
<script src="${files}page.js"></script>
</body>
</html>
`;
}

/** `validatorUrl: null`, so that the document is not sent to an external validator. */
export const PAGE_SCRIPT = `const container = document.getElementById('docs');
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

export const PAGE_STYLE = `body { margin: 0; background: #fafafa; }
noscript p { padding: 1rem; font-family: system-ui, sans-serif; }
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
