/** How the pages look on which people sign in and out. */
export const SIGN_IN_STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #5c6775; --paper: #f5f6f8; --card: #fff; --line: #dde1e6; --accent: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #98a3b1; --paper: #12161c; --card: #1a2028; --line: #2c343f; --accent: #6ea8ff; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { width: 100%; max-width: 34rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.4rem; line-height: 1.25; }
p { margin: 0 0 .75rem; }
pre { margin: 0 0 .75rem; padding: .75rem 1rem; overflow-x: auto; background: var(--paper); border-radius: .4rem; font: .9rem/1.5 ui-monospace, monospace; }
.quiet { color: var(--quiet); font-size: .9rem; margin: 0; }
a { color: var(--accent); }
label { display: grid; gap: .2rem; margin: 0 0 .75rem; font-weight: 600; }
input { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: .4rem; padding: .4rem .6rem; }
button, .button { display: inline-block; text-decoration: none; font: inherit; padding: .5rem 1.1rem; margin-right: .75rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--card); cursor: pointer; }
`;
