package io.stampedeguard.demo.measure;

/**
 * How long callers went without an answer after a process was killed. <em>Immutable.</em>
 *
 * @param firstAnswerMillis from the kill to the first answer
 * @param lastAnswerMillis from the kill to the last answer
 */
public record Aftermath(double firstAnswerMillis, double lastAnswerMillis) {}
