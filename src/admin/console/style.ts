/** How the console looks: light and dark, from 320 px on, without script. */
export const CONSOLE_STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #566170; --paper: #f5f6f8; --card: #fff; --line: #dde1e6; --accent: #1a56b0; --on-accent: #fff; --good: #17693c; --warn: #8a5300; --bad: #a81c1c; --wash: #eef2f8; --shade: #1b243055; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --quiet: #a3aebb; --paper: #12161c; --card: #1a2028; --line: #2f3844; --accent: #7db0ff; --on-accent: #10151b; --good: #6fd39a; --warn: #f0b45c; --bad: #ff8f8f; --wash: #202834; --shade: #000c; } }
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink); }
body { margin: 0; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; padding: .5rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
.top .name { font-weight: 650; text-decoration: none; color: var(--ink); padding: .25rem 0; }
.top ul { display: flex; flex-wrap: wrap; gap: 0 .1rem; margin: 0; padding: 0; list-style: none; }
.top li a, .tabs a { display: inline-block; padding: .3rem .4rem; border-radius: .4rem; text-decoration: none; color: var(--ink); }
.top li a:hover, .tabs a:hover { background: var(--wash); }
[aria-current] { background: var(--wash); font-weight: 600; }
.top .who { margin-left: auto; color: var(--quiet); }
.top nav { flex-basis: 100%; }
.top .menu { display: none; }
.top ul { margin: 0 -.4rem; }
main { padding: 1.25rem 1.5rem 3rem; max-width: 84rem; margin: 0 auto; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; } h3 + p { margin: 0 0 .5rem; }
main p { overflow-wrap: anywhere; }
:is(h1, h2, td, dd, li, p.pages, nav.pages, .crumbs) > a { display: inline-block; min-width: 1.5rem; min-height: 1.5rem; line-height: 1.5rem; max-width: 100%; }
.crumbs { color: var(--quiet); margin: 0; font-size: .9rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; }
.card h2 { margin: 0 0 .35rem; font-size: 1rem; }
.card .big { font-size: 1.8rem; font-weight: 650; font-variant-numeric: tabular-nums; margin: 0; line-height: 1.2; }
.card p { margin: .25rem 0 0; }
.scroll { overflow-x: auto; background: linear-gradient(90deg, var(--card) 40%, transparent) 0 0 / 3rem 100% local, linear-gradient(270deg, var(--card) 40%, transparent) 100% 0 / 3rem 100% local, radial-gradient(farthest-side at 0 50%, var(--shade), transparent) 0 0 / 1rem 100% scroll, radial-gradient(farthest-side at 100% 50%, var(--shade), transparent) 100% 0 / 1rem 100% scroll, var(--card); background-repeat: no-repeat; border: 1px solid var(--line); border-radius: .6rem; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem .8rem; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
td { overflow-wrap: break-word; min-width: 6.5rem; max-width: 28rem; } td.wide { min-width: 13rem; overflow-wrap: anywhere; } td.narrow, td.num { min-width: 0; }
td.narrow input { width: 1.5rem; height: 1.5rem; margin: 0; display: block; accent-color: var(--accent); } form.pick > button { margin-top: .9rem; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.quiet { color: var(--quiet); }
.id { font-family: ui-monospace, monospace; font-size: .87rem; overflow-wrap: anywhere; }
td .id:not(.whole) { display: inline-block; max-width: 16ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.id.whole { white-space: nowrap; overflow-wrap: normal; }
.mark { display: inline-block; padding: .05rem .55rem; border: 1px solid currentcolor; border-radius: 1rem; font-size: .85rem; white-space: nowrap; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
form.brief { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: 0 0 1rem; }
form.brief label { flex: 1 1 16rem; max-width: 40rem; }
form.filters label { flex: 1 1 9rem; max-width: 15rem; }
form.filters :is(input, select, button) { height: 2.5rem; } form.filters > a { line-height: 2.5rem; }
form.filters p { flex: 1 1 100%; margin: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.empty { padding: 1.5rem; text-align: center; color: var(--quiet); background: var(--card); border: 1px dashed var(--line); border-radius: .6rem; }
.note { border-left: 4px solid var(--accent); background: var(--card); padding: .7rem 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.note.bad { border-color: var(--bad); color: inherit; }
.forms { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; align-items: start; margin-top: 1rem; }
.forms > form.act { max-width: 38rem; } .forms + dl { margin-top: 1rem; }
form.act { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; display: grid; gap: .6rem; }
form.act p { margin: 0; }
details form.act { min-width: min(15rem, 70vw); margin-top: .4rem; }
td > form.act { border: 0; padding: 0; background: none; }
form.act h2, form.act h3 { margin: 0; }
label { display: grid; grid-template-columns: minmax(0, 1fr); gap: .2rem; font-weight: 600; font-size: .93rem; }
label .quiet { font-weight: 400; }
input, textarea, select { font: inherit; color: inherit; font-weight: 400; background: var(--paper); border: 1px solid var(--quiet); border-radius: .4rem; padding: .4rem .6rem; width: 100%; }
fieldset { border: 1px solid var(--line); border-radius: .4rem; margin: 0; padding: .6rem .8rem; display: grid; gap: .35rem; min-width: 0; }
legend { font-weight: 600; font-size: .93rem; padding: 0 .3rem; }
.tick { grid-template-columns: max-content 1fr; gap: .6rem; align-items: start; font-weight: 400; padding: .1rem 0; }
.tick input { width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent); }
summary { padding: .15rem 0; cursor: pointer; }
td > details > summary { width: max-content; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .4rem; }
button { font: inherit; justify-self: start; padding: .45rem 1.1rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.final { background: transparent; color: var(--bad); border: 1px solid var(--bad); }
a.go { display: inline-block; padding: .45rem 1.1rem; border-radius: .4rem; background: var(--accent); color: var(--on-accent); text-decoration: none; }
time { white-space: nowrap; } td time[title] { display: inline-block; min-width: 12.5ch; }
iframe.preview { display: block; width: 100%; height: 32rem; background: #fff; border: 1px solid var(--line); border-radius: .6rem; resize: vertical; }
pre { margin: 0; padding: .8rem 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; font: .85rem/1.5 ui-monospace, monospace; }
pre bdi { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.once { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; border: 2px solid var(--accent); }
button.copy { margin-top: .5rem; } .copies button.copy { display: inline-block; }
svg { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
svg.lane { height: 1rem; min-width: 8rem; border-radius: .2rem; }
td .below { margin: .2rem 0 0; color: var(--quiet); } svg.share { display: block; width: 7rem; max-width: 100%; height: 6px; margin: .2rem 0 .2rem auto; border: 0; border-radius: 3px; } svg.key { display: inline-block; width: .7em; height: .7em; border: 0; border-radius: 0; } svg .bar { fill: var(--accent); } svg .bar.bad { fill: var(--bad); } svg .bar.booked { fill: var(--quiet); } svg .axis { stroke: var(--line); } svg .track { fill: var(--wash); } svg text { fill: var(--quiet); font-size: 11px; }
svg .even { fill: none; stroke: var(--quiet); stroke-width: 2; stroke-dasharray: 2 5; } svg .ceiling { stroke: var(--warn); stroke-width: 2; stroke-dasharray: 9 5; } svg .spent { fill: none; stroke: var(--accent); stroke-width: 3; } svg .dot { fill: var(--accent); }
.find input { width: 14rem; padding: .25rem .6rem; }
.news { position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); margin: 0; z-index: 2; }
.news:empty { display: none; }
.news:not(:has(button)) { background: var(--card); border: 1px solid var(--bad); border-radius: .4rem; padding: .45rem 1.1rem; }
progress { width: min(30rem, 100%); height: 1rem; accent-color: var(--accent); margin: 0 0 1rem; }
.pages { display: flex; gap: 1rem; margin-top: .9rem; }
@media (max-width: 40rem) { main { padding: 1rem; } svg.share { margin-left: 0; } .top { padding: .5rem 1rem; } .top .menu { display: block; } .top .menu:not([open]) + nav { display: none; } .top .menu summary { padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .4rem; } .top nav ul { display: grid; grid-template-columns: 1fr 1fr; } .top nav a { display: block; } dl { grid-template-columns: 1fr; gap: 0; } .cards { grid-template-columns: 1fr 1fr; gap: .6rem; } .card { padding: .6rem .7rem; } .card h2 { font-size: .9rem; } dd { margin-bottom: .6rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll:has(.cards-if-narrow) { border: 0; background: none; border-radius: 0; overflow: visible; }
.cards-if-narrow, .cards-if-narrow :is(tbody, tr, td) { display: block; } .cards-if-narrow thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.cards-if-narrow tr { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .9rem; } .cards-if-narrow tr + tr { margin-top: .6rem; }
.cards-if-narrow td { display: flow-root; min-width: 0; max-width: none; padding: .2rem 0 .2rem 7.5rem; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; } .cards-if-narrow td:empty { display: none; }
.cards-if-narrow td::before { content: attr(data-label); content: attr(data-label) / ""; float: left; width: 6.75rem; margin-left: -7.5rem; color: var(--quiet); }
.cards-if-narrow td .id { display: inline; max-width: none; white-space: normal; overflow-wrap: anywhere; } .cards-if-narrow td a.id { display: inline-block; } .cards-if-narrow td form.act { min-width: 0; }
table:not(.cards-if-narrow) :is(th, td) { padding: .4rem .5rem; min-width: 0; white-space: normal; } }
`;
