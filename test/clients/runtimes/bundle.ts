import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What workerd is told of the bundle beside it. */
const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "vectors", worker = (
    modules = [(name = "vectors", esModule = embed "vectors.mjs")],
    compatibilityDate = "2025-09-01",
  ))],
);
`;

/** Bundles the vectors' run into a folder, as any platform with WebCrypto and Fetch takes it; gives both files' paths. */
export async function bundleVectors(folder: string): Promise<{ script: string; workerdConfig: string }> {
  const [script, workerdConfig] = [join(folder, 'vectors.mjs'), join(folder, 'vectors.capnp')];
  const entry = join(import.meta.dirname, 'vectors.ts');
  await build({ entryPoints: [entry], bundle: true, format: 'esm', platform: 'neutral', outfile: script });
  await writeFile(workerdConfig, WORKERD_CONFIG);
  return { script, workerdConfig };
}
