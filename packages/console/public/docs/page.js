// `validatorUrl: null`, so that the document is not sent to an external validator. Swagger UI gives several form controls
// no label, or the same id; the observer adds what is missing.
const container = document.getElementById('docs');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const label = () => {
  container.querySelector('.servers select')?.setAttribute('aria-label', 'Server');
  container.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
  container.querySelector('.operation-filter-input')?.setAttribute('aria-label', 'Filter by tag');
  // Inside of buttons that lead to the same address.
  for (const link of container.querySelectorAll('.opblock-summary-control a')) link.removeAttribute('href');
  for (const button of container.querySelectorAll('[aria-label="Apply credentials"]'))
    button.removeAttribute('aria-label');
  for (const [index, part] of [...container.querySelectorAll('.auth-container')].entries()) {
    const name = part.querySelector('h4 code, h6 code')?.textContent ?? 'credential';
    for (const field of part.querySelectorAll('input')) {
      field.id = `credential-${index}`;
      field.setAttribute('aria-label', name);
    }
    part.querySelector('label')?.setAttribute('for', `credential-${index}`);
  }
  for (const field of container.querySelectorAll('select:not([aria-label]), textarea:not([aria-label])')) {
    if (!field.labels?.length)
      field.setAttribute(
        'aria-label',
        field.closest('tr, .opblock-section')?.querySelector('.parameter__name, h4')?.textContent ?? 'value',
      );
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
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  queryConfigEnabled: false,
});
