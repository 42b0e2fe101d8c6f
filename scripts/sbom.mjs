import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import { packageFolders } from './licenses.mjs';

/**
 * The software bill of materials (CycloneDX 1.6): what each bundle contains, and what npm installs with it.
 * @param bundles paths of bundled files by the folder of their bundle
 */
export async function sbomOf(root, bundles) {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const bom = new Models.Bom();
  bom.metadata.component = componentOf({ name, version, license: packages[''].license }, 'atrium');
  for (const [bundle, inputs] of Object.entries(bundles)) {
    for (const folder of packageFolders(inputs)) {
      const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
      add(bom, componentOf(manifest, `${bundle}/${folder}`, { delivery: 'bundled', bundle }));
    }
  }
  for (const path of installedPackages(packages)) {
    const manifest = { name: path.slice(path.lastIndexOf('node_modules/') + 13), ...packages[path] };
    const component = componentOf(manifest, path, { delivery: 'external' });
    if (manifest.optional) component.scope = Enums.ComponentScope.Optional;
    add(bom, component);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`;
}

function add(bom, component) {
  bom.components.add(component);
  bom.metadata.component.dependencies.add(component.bomRef);
}

function componentOf({ name, version, license }, bomRef, properties = {}) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return new Models.Component(Enums.ComponentType.Library, short, {
    bomRef,
    group,
    version,
    licenses: new Models.LicenseRepository(license ? [new Models.LicenseExpression(license)] : []),
    purl: new PackageURL('npm', group, short, version).toString(),
    properties: new Models.PropertyRepository(
      Object.entries(properties).map(([key, value]) => new Models.Property(`atrium:${key}`, value)),
    ),
  });
}

/** The paths in the lockfile that `npm install atrium` installs, on any platform. */
function installedPackages(packages) {
  const found = new Set();
  const visit = (from) => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = packages[from];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const path = resolve(packages, from, name);
      if (!path && (optionalDependencies?.[name] || peerDependenciesMeta[name]?.optional)) continue;
      if (!path) throw new Error(`package-lock.json lacks ${name} of ${from}`);
      if (found.has(path) || peerDependenciesMeta[name]?.optional) continue;
      found.add(path);
      visit(path);
    }
  };
  visit('');
  return found;
}

/** As Node.js does: the innermost folder wins. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder}${folder && '/'}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}
