const form = document.querySelector('form');
if (form?.elements.reset_token) {
  const field = document.getElementById('password');
  const problems = document.getElementById('problems');
  const button = form.querySelector('button');
  const show = document.getElementById('show');
  const title = document.title.replace(/^Error: /, '');
  show.closest('label').hidden = false;
  show.addEventListener('change', () => {
    field.type = show.checked ? 'text' : 'password';
  });

  const report = (sentences) => {
    problems.replaceChildren(
      ...sentences.map((sentence) => {
        const line = document.createElement('p');
        line.textContent = sentence;
        return line;
      }),
    );
    document.title = `Error: ${title}`;
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  };
  const replace = (id) => {
    document.querySelector('main').replaceChildren(document.getElementById(id).content.cloneNode(true));
    const heading = document.querySelector('h1');
    document.title = heading.textContent;
    heading.tabIndex = -1;
    heading.focus();
    history.replaceState(null, '', location.pathname);
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problems.replaceChildren();
    field.removeAttribute('aria-invalid');
    try {
      const response = await fetch('graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: JSON.stringify({
          query:
            'mutation ResetPassword($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }',
          variables: { token: form.elements.reset_token.value, password: field.value },
        }),
      });
      const { errors } = await response.json();
      const fields = errors?.[0].extensions?.fields;
      if (!errors) replace('done');
      else if (fields?.token) replace('dead');
      else report(fields?.password?.map((text) => `Password ${text}`) ?? [errors[0].message]);
    } catch {
      report(['The service could not be reached. Please try again.']);
    } finally {
      button.disabled = false;
    }
  });
}
