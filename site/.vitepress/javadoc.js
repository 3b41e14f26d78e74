import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the page, with an anchor, that the javadoc has for a type such as `CachePolicy`, or a member such as
 * `CachePolicy.builder()`; of methods with one name, the first.
 */
export function javadocOf(root) {
    const pages = new Map();
    const ambiguous = new Set();
    for (const { p: itsPackage, l: type } of index(root, 'type').filter((entry) => entry.p)) {
        if (pages.has(type)) {
            ambiguous.add(type);
        }
        pages.set(type, `${itsPackage.replaceAll('.', '/')}/${type}.html`);
    }
    for (const { c: type, l: member, u: anchor = member } of index(root, 'member')) {
        const name = `${type}.${member.replace(/\(.*/, '')}`;
        if (!pages.has(name) && pages.has(type)) {
            pages.set(name, `${pages.get(type)}#${anchor}`);
        }
    }
    ambiguous.forEach((type) => pages.delete(type));
    return (code) => pages.get(code.replace(/\(.*\)$/s, ''));
}

/** What the search of the javadoc looks into. */
function index(root, what) {
    const file = join(root, 'target/javadoc', `${what}-search-index.js`);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8').match(/\[.*]/s)[0]) : [];
}
