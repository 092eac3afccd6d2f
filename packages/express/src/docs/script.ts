// The script of the page: search. Without it, the page is complete and has no search field.

/** Hides what lacks any of the words; `/` moves to the field, Escape clears it. */
export const SCRIPT = `(() => {
  const field = document.querySelector('#search');
  const found = document.querySelector('#found');
  const articles = [...document.querySelectorAll('article')];
  const sections = [...document.querySelectorAll('main > section')];
  const texts = new Map();
  const textOf = (article) => {
    if (!texts.has(article)) texts.set(article, article.textContent.toLowerCase());
    return texts.get(article);
  };
  const search = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const article of articles) {
      article.hidden = !words.every((word) => textOf(article).includes(word));
      if (!article.hidden) count += 1;
    }
    for (const section of sections) section.hidden = words.length > 0 && !section.querySelector('article:not([hidden])');
    found.textContent = words.length === 0 ? '' : count + ' of ' + articles.length;
  };
  field.closest('[hidden]').hidden = false;
  field.addEventListener('input', search);
  const clear = () => {
    field.value = '';
    search();
  };
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key !== '/' || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null || target.closest('[hidden]') === null) return;
    clear();
    target.scrollIntoView();
  });
})();`;
