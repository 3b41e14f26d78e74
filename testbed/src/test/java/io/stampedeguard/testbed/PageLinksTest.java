package io.stampedeguard.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;

/** Each link of a page to a file of this project leads to one, and to a heading that it has. Nothing is asked of the network. */
final class PageLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Set<String> NOT_OURS = Set.of(".git", "target", "node_modules");

    /** A page of GitHub beside README.md, whoever owns the repository: a fork's badge is of its own builds. */
    private static final Pattern WORKFLOW =
            Pattern.compile("\\.\\./\\.\\./actions/workflows/(\\w+\\.yml)(/badge\\.svg)?");

    private static final Parser PARSER = Parser.builder()
            .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
            .build();

    /** The anchors of the pages that links led to. */
    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void linksOfPagesLeadToFilesAndHeadings() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (PageLink link : links(page)) {
                links++;
                String complaint = complaint(page, link.destination());
                if (!complaint.isEmpty()) {
                    broken.add("%s:%d: %s: %s"
                            .formatted(ROOT.relativize(page), link.line(), link.destination(), complaint));
                }
            }
        }

        assertThat(broken).isEmpty();
        assertThat(links).as("links to files of this project").isGreaterThan(100);
    }

    @Test
    void anchorsAreThoseOfGitHub() {
        assertThat(anchors(PARSER.parse("""
                # Redis in unusual states
                ## `RedisKeyFilter.builder(name, store)`, `LocalKeyFilter.builder(name)`
                ## Why was a value loaded twice?
                ### Names: old_name, 2 × – and [a link](elsewhere.md)
                ## Redis in unusual states
                """)))
                .containsExactlyInAnyOrder(
                        "redis-in-unusual-states",
                        "rediskeyfilterbuildername-store-localkeyfilterbuildername",
                        "why-was-a-value-loaded-twice",
                        "names-old_name-2---and-a-link",
                        "redis-in-unusual-states-1");
    }

    /** Returns what is wrong with a link; empty if it leads to something, or out of this project. */
    private String complaint(Path page, String destination) throws IOException {
        Matcher workflow = WORKFLOW.matcher(destination);
        if (page.equals(ROOT.resolve("README.md")) && workflow.matches()) {
            return Files.exists(ROOT.resolve(".github/workflows/" + workflow.group(1))) ? "" : "no such workflow";
        }
        int hash = destination.indexOf('#');
        String path = hash < 0 ? destination : destination.substring(0, hash);
        Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        if (!target.startsWith(ROOT) || !Files.exists(target)) {
            return "no such file";
        }
        return hash < 0 || anchorsOf(target).contains(destination.substring(hash + 1)) ? "" : "no such heading";
    }

    private Set<String> anchorsOf(Path page) throws IOException {
        Set<String> known = anchors.get(page);
        if (known == null) {
            known = anchors(PARSER.parse(Files.readString(page)));
            anchors.put(page, known);
        }
        return known;
    }

    /** GitHub's rule: letters, digits, hyphens, and underscores in lower case, a hyphen for each space; repeated ones are numbered. */
    private static Set<String> anchors(Node page) {
        Set<String> found = new HashSet<>();
        Map<String, Integer> repeated = new HashMap<>();
        page.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                String anchor = text(heading)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]", "")
                        .replace(' ', '-');
                int before = repeated.merge(anchor, 1, Integer::sum) - 1;
                found.add(before == 0 ? anchor : anchor + "-" + before);
            }
        });
        return found;
    }

    private static String text(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code part) {
                text.append(part.getLiteral());
            }
        });
        return text.toString();
    }

    /** A link, or a picture. */
    private record PageLink(int line, String destination) {}

    /** Returns the links of a page, but for those to other servers. */
    private static List<PageLink> links(Path page) throws IOException {
        List<PageLink> found = new ArrayList<>();
        PARSER.parse(Files.readString(page)).accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                add(link, link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                add(image, image.getDestination());
            }

            private void add(Node node, String destination) {
                if (!destination.matches("[a-z]+:.*")) {
                    found.add(new PageLink(node.getSourceSpans().get(0).getLineIndex() + 1, destination));
                }
            }
        });
        return found;
    }

    private static Set<Path> pages() throws IOException {
        Set<Path> found = new TreeSet<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_OURS.contains(String.valueOf(directory.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
