// Draws the same dashboard by Ink itself, without a compositor, with Ink's best settings.
import { readFileSync } from 'node:fs';

const built = (path: string) => new URL(`../../apps/tui/dist/${path}`, import.meta.url).href;
const { readConfig, takeEnvironment } = await import(built('start/config.js'));
const { begin } = await import(built('start/start.js'));
const { runDashboard } = await import(built('dashboard/run.js'));
const { RealTerminal } = await import(built('terminal/real-terminal.js'));
const { render } = await import(built('../node_modules/ink/build/index.js'));

/** Draws as `drawOn` in apps/tui/src/terminal/host.tsx does. */
const plain = (element: unknown, terminal: { write: (text: string) => void }) => {
  terminal.write('\u001B[H\u001B[2J');
  const instance = render(element, {
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: 60,
  });
  return { exited: instance.waitUntilExit(), repaint: () => instance.clear(), unmount: () => instance.unmount() };
};

const config = readConfig([], takeEnvironment(), (path: string) => readFileSync(path, 'utf8'));
const terminal = new RealTerminal(process);
terminal.open();
runDashboard(await begin(config, terminal.columns), terminal, plain).then((code: number) => process.exit(code));
