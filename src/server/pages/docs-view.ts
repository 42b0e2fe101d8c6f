/** Where the page finds its files and the document, as seen from its own address. */
export interface DocsUrls {
  files: string;
  document: string;
}

/** The page; addresses in it are relative, so it works below any path. */
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
<noscript><p>This page needs scripts. The document it shows is <a href="${document}">${document}</a>.</p></noscript>
<div id="docs" data-document="${document}"></div>
<script src="${files}swagger-ui-bundle.js"></script>
<script src="${files}page.js"></script>
</body>
</html>
`;
}

/** Starts Swagger UI: no validator elsewhere, and no credential outlives the page. */
export const PAGE_SCRIPT = `const place = document.getElementById('docs');
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
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

/**
 * Nothing but the page's own files runs in it. Requests that are tried out go to the service: by the address of the page,
 * or by the public one, which the document names.
 */
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
