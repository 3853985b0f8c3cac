import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import robocode.BattleResults;
import robocode.control.BattleSpecification;
import robocode.control.BattlefieldSpecification;
import robocode.control.RobocodeEngine;
import robocode.control.RobotSpecification;
import robocode.control.events.BattleAdaptor;
import robocode.control.events.BattleCompletedEvent;
import robocode.control.events.RoundEndedEvent;
import robocode.control.events.RoundStartedEvent;
import robocode.control.events.TurnEndedEvent;
import robocode.control.snapshot.IRobotSnapshot;
import robocode.control.snapshot.RobotState;

/**
 * Battles in the real engine, one per line of arguments "rounds width height seed robot,robot,…".
 * Prints for each: the scores by robot, the turns, and the seconds it took by the wall and of CPU.
 */
public final class Fights extends BattleAdaptor {
    /** The engine does not wait for the thread of a robot that has just died; this does. */
    private static final int NAP_MS = Integer.getInteger("nap", 5);

    private BattleResults[] results;
    private long turns;
    private int dead;

    @Override
    public void onRoundStarted(RoundStartedEvent event) {
        dead = 0;
        if (NAP_MS > 0) {
            waitForRobots(event.getStartSnapshot().getRobots().length);
        }
    }

    /** A robot that paints gets all the time it needs: a busy machine would cost others turns. */
    private static void waitForRobots(int count) {
        try {
            Object battles = net.sf.robocode.core.ContainerBase.getComponent(
                    net.sf.robocode.battle.IBattleManagerBase.class);
            for (int robot = 0; robot < count; robot++) {
                battles.getClass().getMethod("setPaintEnabled", int.class, boolean.class)
                        .invoke(battles, robot, true);
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public void onTurnEnded(TurnEndedEvent event) {
        if (NAP_MS == 0) {
            return;
        }
        int count = 0;
        for (IRobotSnapshot robot : event.getTurnSnapshot().getRobots()) {
            count += robot.getState() == RobotState.DEAD ? 1 : 0;
        }
        if (count > dead) {
            try {
                Thread.sleep(NAP_MS);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }
        dead = count;
    }

    @Override
    public void onRoundEnded(RoundEndedEvent event) {
        turns = event.getTotalTurns();
    }

    @Override
    public void onBattleCompleted(BattleCompletedEvent event) {
        results = event.getIndexedResults();
    }

    public static void main(String[] arguments) {
        RobocodeEngine.setLogMessagesEnabled(false);
        RobocodeEngine engine = new RobocodeEngine(new File(arguments[0]));
        Fights fights = new Fights();
        engine.addBattleListener(fights);
        for (int place = 1; place < arguments.length; place++) {
            String[] words = arguments[place].split(" ");
            System.setProperty("RANDOMSEED", words[3]);
            BattleSpecification battle = new BattleSpecification(
                    new BattlefieldSpecification(Integer.parseInt(words[1]), Integer.parseInt(words[2])),
                    Integer.parseInt(words[0]), 450, 0.1, 100, false, find(engine, words[4]), null);
            long start = System.nanoTime();
            long startCpu = cpuTime();
            engine.runBattle(battle, true);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpuSeconds = (cpuTime() - startCpu) / 1e9;
            StringBuilder line = new StringBuilder();
            for (BattleResults result : fights.results) {
                line.append(result.getScore()).append(' ');
            }
            System.out.println(line + "" + fights.turns + " " + seconds + " " + cpuSeconds);
        }
        System.exit(0);
    }

    private static long cpuTime() {
        return ((com.sun.management.OperatingSystemMXBean)
                java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static RobotSpecification[] find(RobocodeEngine engine, String names) {
        Map<String, String> known = new HashMap<>();
        for (RobotSpecification robot : engine.getLocalRepository()) {
            known.put(robot.getClassName(), robot.getNameAndVersion());
        }
        List<RobotSpecification> found = new ArrayList<>();
        for (String name : names.split(",")) {
            if (!known.containsKey(name)) {
                throw new IllegalArgumentException("no robot " + name + " among " + known.keySet());
            }
            // Looked up once more: the engine tells robots apart by these objects.
            found.add(engine.getLocalRepository(known.get(name))[0]);
        }
        return found.toArray(new RobotSpecification[0]);
    }
}
