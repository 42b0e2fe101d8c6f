import { escapeHtml } from './escape-html.ts';

/** The look of pages, for mail programs, which know no variables. A test compares it with the tokens of the pages. */
export const MAIL_LOOK = {
  light: {
    ground: '#f6f7f9',
    card: '#ffffff',
    line: '#e2e5ea',
    text: '#1a202c',
    accent: '#1f5fbf',
    onAccent: '#ffffff',
  },
  dark: {
    ground: '#0f1216',
    card: '#161a20',
    line: '#2a303a',
    text: '#e6e9ee',
    accent: '#8ab4f8',
    onAccent: '#0f1a2c',
  },
  font: "'Inter Variable', system-ui, sans-serif",
  radius: '0.5rem',
};

const { light, dark, font, radius } = MAIL_LOOK;

const STYLE = `:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: ${dark.ground} !important; color: ${dark.text} !important; }
  .card { background: ${dark.card} !important; border-color: ${dark.line} !important; }
  .button { background: ${dark.accent} !important; color: ${dark.onAccent} !important; }
}`;

/**
 * A mail of the service as HTML, from its plain text.
 * @param link the only address that becomes a link, so that no text of a person does
 */
export function mailHtml(text: string, link?: string): string {
  const blocks = text.trim().split(/\n{2,}/);
  const body = blocks.map((block) => (block === link ? button(block) : paragraph(block))).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>${STYLE}</style></head>
<body class="ground" style="margin:0;padding:24px 12px;background:${light.ground};color:${light.text};font:16px/1.5 ${font}">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px;background:${light.card};border:1px solid ${light.line};border-radius:${radius}">
${body}
</div>
</body>
</html>
`;
}

function button(address: string): string {
  const href = escapeHtml(address);
  return `<p style="margin:24px 0"><a class="button" href="${href}" style="display:inline-block;padding:10px 20px;background:${light.accent};color:${light.onAccent};border-radius:${radius};text-decoration:none;font-weight:600">Open the page</a></p>
<p style="margin:0 0 16px;font-size:13px;overflow-wrap:anywhere">${href}</p>`;
}

/** Lines of a text are broken for plain text; those of lists remain. */
function paragraph(block: string): string {
  const lines = block.split('\n').map(escapeHtml);
  return `<p style="margin:0 0 16px">${lines.join(block.startsWith('- ') ? '<br>' : ' ')}</p>`;
}
