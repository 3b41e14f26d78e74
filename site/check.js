// Fails if a link or a picture of the built site leads to no file of it, or to no anchor; javadoc is only led to.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , site, base] = process.argv;
const anchors = new Map();
const attributes = (file, names) =>
    [...readFileSync(file, 'utf8').matchAll(/<[a-z][^<>]*>/g)].flatMap(([tag]) =>
        [...tag.matchAll(RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value]) => value.replaceAll('&amp;', '&')),
    );

function anchorsOf(file) {
    if (!anchors.has(file)) {
        anchors.set(file, new Set(attributes(file, 'id')));
    }
    return anchors.get(file);
}

function complaint(link, page) {
    const { pathname, hash } = new URL(link, `http://site${base}${page}`);
    if (!pathname.startsWith(base)) {
        return 'is not below the base';
    }
    const file = join(site, decodeURIComponent(pathname.slice(base.length)).replace(/(^|\/)$/, '$1index.html'));
    if (!existsSync(file)) {
        return 'leads to no file';
    }
    return hash === '' || anchorsOf(file).has(decodeURIComponent(hash.slice(1))) ? undefined : 'leads to no anchor';
}

let links = 0;
let broken = 0;
let toJavadoc = 0;
const pages = readdirSync(site, { recursive: true }).filter((file) => /^(?!javadoc\/).*\.html$/.test(file));
for (const page of pages) {
    for (const link of attributes(join(site, page), 'href|src').filter((each) => !/^[a-z]+:/.test(each))) {
        links++;
        toJavadoc += link.startsWith(`${base}javadoc/`);
        const wrong = complaint(link, page);
        if (wrong) {
            broken++;
            console.error(`site: ${page}: ${link} ${wrong}`);
        }
    }
}
console.log(`== ${pages.length} pages, ${links} links, ${toJavadoc} of them into the javadoc: ${broken} broken`);
process.exitCode = broken > 0 || toJavadoc === 0 ? 1 : 0;
