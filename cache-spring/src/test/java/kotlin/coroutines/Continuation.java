package kotlin.coroutines;

/**
 * The last parameter of a suspending function of Kotlin, which is recognized by the name of this type: tests need no jar of Kotlin.
 *
 * @param <T> what the function returns
 */
public interface Continuation<T> {}
