/**
 * All that runs in a browser; without it every page says and does the same, once it is loaded anew. It keeps the page's content fresh by
 * fetching the same page and putting in what is new of it, when a stream rings, every 30 seconds, and when the page is looked at again; and `/`
 * goes to the search. A button copies what is to be taken elsewhere. What somebody types into, where the focus is and what stands under the pointer stays where it is.
 */
export const LIVE_SCRIPT = String.raw`'use strict';
(() => {
  const EVERY_MS = 30000;
  const APART_MS = 1000;
  const content = document.getElementById('content');
  let stream;
  let waits;
  let lastAt = Date.now();
  let isBusy = false;
  let isStale = false;
  let isOver = false;
  let freshAt = lastAt;
  /** Rows of tables that would move under the pointer, and what they are to become. */
  const held = new Map();

  const isTyped = (form) =>
    [...form.elements].some((field) =>
      field.type === 'checkbox' || field.type === 'radio'
        ? field.checked !== field.defaultChecked
        : 'defaultValue' in field && field.type !== 'hidden' && field.value !== field.defaultValue,
    );
  const isInUse = (form) => form.contains(document.activeElement) || isTyped(form);
  const forms = (node) => (node.nodeName === 'FORM' ? [node] : [...(node.querySelectorAll?.('form') ?? [])]);

  /** A form without what is another each time it is made. */
  const shown = (form) => {
    const copy = form.cloneNode(true);
    for (const field of copy.querySelectorAll('input[type=hidden][name^="_"]')) field.remove();
    return copy;
  };

  /** What a thing goes by among those beside it. */
  const nameOf = (node) => {
    if (node.nodeType !== 1) return '';
    if (node.nodeName === 'FORM') return node.getAttribute('action') + '?' + [...node.querySelectorAll('button')].map((one) => one.textContent);
    if (node.nodeName !== 'TR') return node.id || node.getAttribute('aria-label') || '';
    const cell = node.cells[0];
    const named = cell?.querySelector('a[href], time, input');
    return named?.getAttribute('href') || named?.getAttribute('datetime') || named?.value || cell?.textContent || '';
  };
  const named = (nodes) => {
    const count = new Map();
    return [...nodes].map((node) => {
      const name = nameOf(node);
      if (name === '') return [name, node];
      const so = (count.get(name) ?? 0) + 1;
      count.set(name, so);
      return [node.nodeName + ' ' + name + ' ' + so, node];
    });
  };

  function morph(old, fresh) {
    if (old.isEqualNode(fresh) || (old.dataset?.stays && old.dataset.stays === fresh.dataset?.stays)) return;
    if (old.nodeType !== 1) return (old.nodeValue = fresh.nodeValue);
    if (old.nodeName === 'FORM') return isInUse(old) || shown(old).isEqualNode(shown(fresh)) || old.replaceWith(fresh);
    if (old.nodeName === 'TBODY' && holdsRows(old, fresh)) return;
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    morphChildren(old, fresh);
  }

  function morphChildren(old, fresh) {
    const known = new Map(named(old.childNodes).filter(([name]) => name !== ''));
    let at = old.firstChild;
    for (const [name, next] of named(fresh.childNodes)) {
      const same = name === '' ? undefined : known.get(name);
      if (same !== undefined) {
        if (same === at) at = at.nextSibling;
        else old.insertBefore(same, at);
        morph(same, next);
      } else if (name === '' && at !== null && nameOf(at) === '' && at.nodeName === next.nodeName) {
        const after = at.nextSibling;
        morph(at, next);
        at = after;
      } else {
        old.insertBefore(next, at);
      }
    }
    while (at !== null) {
      const after = at.nextSibling;
      drop(at);
      at = after;
    }
  }

  /** What somebody has typed into stays, and is refused when it is sent. */
  function drop(node) {
    if (!forms(node).some(isTyped)) node.remove();
    else if (node.nodeName !== 'FORM') for (const child of [...node.childNodes]) drop(child);
  }

  /** Whether rows would move while somebody points at them or is among them; those that stay are made fresh where they are. */
  function holdsRows(old, fresh) {
    const [before, after] = [named(old.rows), new Map(named(fresh.rows))];
    const names = [...after.keys()];
    held.delete(old);
    if (before.every(([name], i) => names[i] === name)) return false;
    if (!old.matches(':hover') && !old.contains(document.activeElement)) return false;
    const kept = new Set(before.map(([name]) => name));
    held.set(old, { fresh: fresh.cloneNode(true), news: names.filter((name) => !kept.has(name)).length });
    for (const [name, row] of before) if (after.has(name)) morph(row, after.get(name));
    return true;
  }

  const news = document.createElement('p');
  news.className = 'news';
  news.setAttribute('role', 'status');
  const button = document.createElement('button');
  button.type = 'button';
  document.body.append(news);
  button.addEventListener('click', () => {
    for (const [rows, { fresh }] of held) {
      morphChildren(rows, fresh);
      rows.closest('[tabindex]')?.focus({ preventScroll: true });
    }
    held.clear();
    tell();
  });

  function tell(trouble) {
    for (const rows of held.keys()) if (!rows.isConnected) held.delete(rows);
    const count = [...held.values()].reduce((sum, one) => sum + one.news, 0);
    button.textContent = count > 0 ? count + ' new, show' : 'The list has changed, show';
    const now = trouble ? [trouble] : held.size > 0 ? [button] : [];
    if (news.childNodes.length !== now.length || news.firstChild !== now[0]) news.replaceChildren(...now);
  }

  function putIn(fresh) {
    const focus = document.activeElement;
    const href = focus?.getAttribute('href');
    const row = document.querySelector('#content tr:hover');
    const top = row?.getBoundingClientRect().top;
    morphChildren(content, fresh);
    if (row?.isConnected) window.scrollBy(0, row.getBoundingClientRect().top - top);
    if (focus === document.activeElement || !focus || focus === document.body) return;
    const link = href && content.querySelector('a[href="' + CSS.escape(href) + '"]');
    (focus.isConnected ? focus : link)?.focus({ preventScroll: true });
  }

  async function refresh() {
    if (document.hidden || isOver) return;
    isStale = isBusy;
    if (isBusy) return;
    [isBusy, lastAt] = [true, Date.now()];
    try {
      const answer = await fetch(location.href, { headers: { 'Console-Refresh': '1' } });
      if (answer.status === 401) {
        isOver = true;
        stream?.close();
        tell('You are signed out: load the page anew to sign in.');
      } else if (!answer.ok) {
        throw new Error(answer.statusText);
      } else {
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        putIn(page.getElementById('content'));
        freshAt = lastAt;
        tell();
      }
    } catch {
      tell('This page could not be refreshed: what it shows is as of ' + new Date(freshAt).toISOString().slice(11, 19) + ' UTC.');
    } finally {
      if (isStale) soon();
      isBusy = isStale = false;
    }
  }

  function soon() {
    waits ??= setTimeout(() => {
      waits = undefined;
      void refresh();
    }, Math.max(0, lastAt + APART_MS - Date.now()));
  }

  function listen() {
    if (document.hidden || isOver || (stream && stream.readyState !== EventSource.CLOSED)) return;
    stream = new EventSource('/admin/live?topics=' + encodeURIComponent(content.dataset.live));
    stream.addEventListener('ring', soon);
    let isAnew = false;
    stream.addEventListener('open', () => {
      // What has changed between two streams rang at neither.
      if (isAnew) soon();
      isAnew = true;
    });
  }

  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    document.getElementById('search')?.focus();
  });

  const page = document.documentElement;
  page.classList.toggle('copies', navigator.clipboard !== undefined);
  page.addEventListener('click', async ({ target: { dataset, textContent }, target }) => {
    if (dataset.copies === undefined) return;
    const copied = navigator.clipboard.writeText(document.getElementById(dataset.copies).textContent.trim());
    target.textContent = await copied.then(() => 'Copied', () => 'Not copied: select it by hand');
    setTimeout(() => (target.textContent = textContent), 4000);
  });

  if (!content?.dataset.live) return;
  const look = () => (document.hidden ? stream?.close() : (listen(), soon()));
  document.addEventListener('visibilitychange', look);
  setInterval(look, EVERY_MS);
  listen();
})();
`;
